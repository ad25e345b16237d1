// How far a file is on its way: its name and size, a bar, and per cent in words.
import { h } from "../dom.js";
import { fileSize } from "../format.js";

/** @param {string} label what is sent, for screen readers */
export function uploadProgress(label) {
	const name = h("span", { class: "small", role: "status" }), part = h("span", { class: "small number", "aria-hidden": "true" }); // the bar says it, too
	const bar = h("progress", { max: 1, value: 0, "aria-label": `Upload: ${label}` });
	const element = h("span", { class: "row upload-progress", hidden: true }, name, bar, part);
	const tell = (/** @type {number} */ sent) => {
		bar.value = sent;
		part.textContent = `${Math.floor(100 * Math.min(1, sent))} %`;
	};
	return {
		element, tell,
		/** @param {File} file */
		start: (file) => { name.textContent = `${file.name}, ${fileSize(file.size)}`; tell(0); element.hidden = false; },
		end: () => { element.hidden = true; name.textContent = ""; },
	};
}
