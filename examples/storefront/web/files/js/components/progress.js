// How many lectures of a course are done, as a bar and in words.
import { h } from "../dom.js";
import { count } from "../format.js";

/** @param {number} done @param {number} total lectures @param {string} label for screen readers, such as "Lectures done" */
export function progress(done, total, label) {
	const percent = total > 0 ? Math.round((100 * done) / total) : 0;
	const fillBar = h("span");
	fillBar.style.width = `${percent}%`;
	return h("div", { class: "stack tight" },
		h("div", { class: "progress", role: "progressbar", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(percent) }, fillBar),
		h("p", { class: "muted small number" }, `${percent} % · ${done} of ${count(total, "lecture")} done`));
}
