// Saves an answer of the API as a file.
import { h } from "../dom.js";

/** @param {Response} answer @param {string} name */
export async function saveFile(answer, name) {
	const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: name });
	link.click();
	URL.revokeObjectURL(link.href);
}
