// Markdown that an educator wrote. The server of the storefront renders it; what is shown is a copy
// of the elements that are known to be harmless.
import { fill, h, load } from "../dom.js";
import { ApiError } from "../api.js";
import { safeContent } from "./safe-content.js";

/** Shows a text. Its headings begin below those of the page. @param {string} text */
export const markdown = (text) => load(() => render(text), (content) => h("div", { class: "lecture", dir: "auto" }, content));

/** @param {string} text */
async function render(text) {
	const response = await fetch("/markdown", { method: "POST", headers: { "Content-Type": "text/plain" }, body: text }).catch(() => { throw new ApiError(0, "The text cannot be shown. Try again when the connection is back."); });
	if (!response.ok) throw new ApiError(response.status, await response.text());
	const { body } = new DOMParser().parseFromString(await response.text(), "text/html");
	lowerHeadings(body);
	return safeContent(body);
}

/** Makes the headings of a text h2 to h4, without leaving out a level. @param {HTMLElement} body */
function lowerHeadings(body) {
	const headings = [...body.querySelectorAll("h1, h2, h3, h4, h5, h6")];
	const levels = [...new Set(headings.map(({ localName }) => localName))].sort();
	let before = 1;
	for (const heading of headings) {
		before = Math.min(levels.indexOf(heading.localName) + 2, before + 1, 4);
		heading.replaceWith(fill(document.createElement(`h${before}`), ...heading.childNodes));
	}
}
