// What is refunded of a bundle: an amount, or what is left of chosen courses.
import { h } from "../dom.js";
import { leftOfLine } from "../components/sold-bundle.js";

/** @typedef {import("../components/sold-bundle.js").Line} Line */

/**
 * The choice of the courses. byAmount is the field that is shown as long as an amount is refunded, and
 * changed is called after each choice.
 * @param {Line[]} lines @param {{byAmount: HTMLElement, text: (amount: number) => string, changed: () => void}} options
 */
export function linesChoice(lines, { byAmount, text, changed }) {
	/** @type {Set<Line>} */
	const chosen = new Set();
	let isByLines = false;
	const problem = h("p", { class: "problem", role: "alert", hidden: true });
	const boxes = lines.map((line) => {
		const left = leftOfLine(line);
		return h("li", {}, h("label", { class: "check" }, h("input", { type: "checkbox", name: "refund-course", disabled: left <= 0, onchange: (/** @type {any} */ event) => {
			if (event.target.checked) chosen.add(line);
			else chosen.delete(line);
			problem.hidden = true;
			changed();
		} }), h("span", {}, h("bdi", {}, line.courseId.courseTitle), " ", h("span", { class: "muted small number" }, left > 0 ? `${text(left)} left` : "Nothing left"))));
	});
	const courses = h("fieldset", { class: "stack tight", hidden: true }, h("legend", { class: "field-name" }, "Courses to refund"), h("ul", { class: "plain-list stack tight" }, boxes), problem);
	const way = (/** @type {boolean} */ byLines, /** @type {string} */ name, /** @type {string} */ hint) => h("label", { class: "choice" }, h("input", { type: "radio", name: "refund-way", checked: byLines === isByLines, onchange: () => {
		isByLines = byLines;
		courses.hidden = !byLines;
		byAmount.hidden = byLines;
		changed();
	} }), h("span", {}, h("strong", {}, name), h("span", { class: "muted small choice-text" }, hint)));
	return {
		element: h("div", { class: "stack" }, h("fieldset", { class: "stack tight" }, h("legend", { class: "visually-hidden" }, "What is refunded"),
			way(false, "An amount", "It is spread over all courses. The student keeps them until nothing is left."), way(true, "Chosen courses", "What is left of them is paid back, and the student loses them.")), courses, byAmount),
		/** The courses to refund; null if an amount is. */
		lines: () => (isByLines ? [...chosen] : null),
		valid: () => {
			problem.textContent = isByLines && chosen.size === 0 ? "Choose at least one course." : "";
			problem.hidden = problem.textContent === "";
			if (!problem.hidden) courses.querySelector("input")?.focus();
			return problem.hidden;
		},
	};
}
