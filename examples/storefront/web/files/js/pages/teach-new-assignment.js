// The assignment of a lecture in the form of a course: what is asked, what is graded, and until when.
import { fill, h } from "../dom.js";
import { field } from "../components/field.js";
import { limited } from "../components/limited.js";
import { markdown } from "../components/markdown.js";

/** @typedef {import("./teach-new-draft.js").Lecture["assignment"]} Assignment */
/** @typedef {{input: HTMLElement, valid: () => boolean}} Field */

const mostCriteria = 50;
/** @param {number} least @param {number} most */
const whole = (least, most) => (/** @type {string} */ text) => (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? "" : `A whole number from ${least} to ${most.toLocaleString()}.`);

/** @param {Assignment} assignment changed in place @param {() => void} changed */
export function assignmentFields(assignment, changed) {
	const preview = h("div", { class: "text-preview", hidden: true });
	const text = limited("What is asked", { name: "assignment-instructions", rows: 8, max: 20_000, required: true, value: assignment.instructions, hint: "Markdown: # heading, **bold**, - list.", oninput: (value) => { assignment.instructions = value; preview.hidden = true; changed(); } });
	const show = h("button", { class: "button small", type: "button", onclick: () => { preview.hidden = assignment.instructions.trim() === ""; fill(preview, markdown(assignment.instructions)); } }, "Preview what is asked");
	const rubric = rubricRows(assignment, changed), time = timeFields(assignment, changed);
	const files = h("label", { class: "check" }, h("input", { type: "checkbox", checked: assignment.files, onchange: (/** @type {any} */ event) => { assignment.files = event.target.checked; changed(); } }), "Students may submit files");
	return { element: h("div", { class: "stack" }, text.element, h("div", {}, show), preview, rubric.element, time.element, files), fields: () => [text, ...rubric.fields(), ...time.fields()] };
}

/** @param {Assignment} assignment @param {() => void} changed */
function rubricRows({ rubric }, changed) {
	/** @type {Map<object, {element: HTMLElement, fields: ReturnType<typeof field>[]}>} */
	const rows = new Map();
	const items = h("ol", { class: "plain-list stack tight" });
	const row = (/** @type {Assignment["rubric"][number]} */ criterion) => {
		const fields = [
			field("What is graded", { name: "criterion", value: criterion.criterion, required: true, maxLength: 500, oninput: (value) => { criterion.criterion = value; changed(); } }),
			field("Points", { name: "criterion-points", value: criterion.points, required: true, inputMode: "numeric", autocomplete: "off", check: whole(1, 1000), oninput: (value) => { criterion.points = value; changed(); } }),
		];
		const drop = h("button", { class: "button quiet icon", type: "button", "aria-label": "Remove this line", title: "Remove this line", onclick: () => { rubric.splice(rubric.indexOf(criterion), 1); rows.delete(criterion); draw(); changed(); more.focus(); } }, "✕");
		return { element: h("li", { class: "file-row" }, h("div", { class: "file-row-fields" }, fields.map(({ element }) => element)), drop), fields };
	};
	const draw = () => {
		for (const criterion of rubric) if (!rows.has(criterion)) rows.set(criterion, row(criterion));
		fill(items, rubric.map((criterion) => rows.get(criterion)?.element));
		more.hidden = rubric.length >= mostCriteria;
	};
	const more = h("button", { class: "button small", type: "button", onclick: () => {
		const criterion = { criterion: "", points: "10" };
		rubric.push(criterion);
		draw();
		changed();
		rows.get(criterion)?.fields[0].input.focus();
	} }, "Add a line to the rubric");
	draw();
	return { element: h("fieldset", { class: "stack tight" }, h("legend", { class: "field-name" }, "Rubric"), items, h("div", {}, more)), fields: () => rubric.flatMap((criterion) => rows.get(criterion)?.fields ?? []) };
}

/** @param {Assignment} assignment @param {() => void} changed */
function timeFields(assignment, changed) {
	const region = h("div", { class: "price-fields" });
	const number = (/** @type {string} */ label, /** @type {"dueAfterDays" | "lateDays" | "attempts"} */ name, /** @type {number} */ least, /** @type {number} */ most, /** @type {string} */ hint, required = false) => field(label, { name: `assignment-${name}`, value: assignment[name], required, inputMode: "numeric", autocomplete: "off", hint, check: whole(least, most), oninput: (value) => { assignment[name] = value.trim(); changed(); } });
	const due = field("Due", { name: "assignment-due", required: true, value: assignment.due, options: [["never", "At no time"], ["days", "Some days after the enrolment"], ["at", "At a time"]], oninput: (value) => { assignment.due = /** @type {Assignment["due"]} */ (value); draw(); changed(); } });
	const attempts = number("Attempts", "attempts", 1, 1000, "Nothing means no limit.");
	/** @type {ReturnType<typeof field>[]} */
	let shown = [];
	const draw = () => {
		const late = () => number("Days that late work is taken", "lateDays", 0, 3650, "Nothing means none.");
		shown = assignment.due === "never" ? [] : assignment.due === "days" ? [number("Days after the enrolment", "dueAfterDays", 0, 3650, "", true), late()]
			: [field("Due at", { name: "assignment-at", type: "datetime-local", value: assignment.dueAt, required: true, hint: "In your time.", oninput: (value) => { assignment.dueAt = value; changed(); } }), late()];
		fill(region, [due, ...shown, attempts].map(({ element }) => element));
	};
	draw();
	return { element: region, fields: () => [...shown, attempts] };
}
