// What is right, in the form of a question: by kind the options, a choice, a number, or texts.
import { fill, h } from "../dom.js";
import { field } from "../components/field.js";
import { decimalOf, hasOptions, linesOf, mostOptions, mostTexts, newOption } from "./teach-quiz-draft.js";

/** @typedef {import("./teach-quiz-draft.js").Question} Question */
/** @typedef {{input: HTMLElement, valid: () => boolean}} Field */
/** @typedef {{element: HTMLElement, fields: () => Field[]}} Part */

let made = 0;

/** The fields of the kind that a question has now. @param {Question} question @param {() => void} changed @returns {Part} */
export function answerFields(question, changed) {
	if (hasOptions(question.kind)) return options(question, changed);
	if (question.kind === "true-false") return truth(question, changed);
	const fields = question.kind === "number" ? numberFields(question, changed) : textFields(question, changed);
	return { element: h("div", { class: "price-fields" }, fields.map(({ element }) => element)), fields: () => fields };
}

/** @param {Question} question @param {() => void} changed */
function numberFields(question, changed) {
	const number = (/** @type {string} */ label, /** @type {"number" | "tolerance"} */ name, /** @type {string} */ hint, /** @type {number} */ least) =>
		field(label, { name: `quiz-${name}`, value: question[name], required: name === "number", inputMode: "decimal", autocomplete: "off", hint,
			check: (text) => (Number.isNaN(decimalOf(text)) || decimalOf(text) < least ? "A number, such as 12 or 3.5." : ""), oninput: (value) => { question[name] = value; changed(); } });
	return [number("Right number", "number", "A unit that students write after it is ignored.", -Infinity), number("How far off is still right", "tolerance", "Nothing means that only the number itself is right.", 0)];
}

/** @param {Question} question @param {() => void} changed */
const textFields = (question, changed) => [field("Right texts", { name: "quiz-texts", rows: 3, required: true, value: question.texts, hint: "Each on a line of its own. Capital letters do not matter, nor does the form of quotation marks and spaces.", oninput: (value) => { question.texts = value; changed(); },
	check: (text) => (linesOf(text).length > mostTexts ? `At most ${mostTexts} texts.` : linesOf(text).some((line) => [...line].length > 500) ? "At most 500 characters a line." : "") })];

/** @param {Question} question @param {() => void} changed @returns {Part} */
function truth(question, changed) {
	const name = `truth-${++made}`;
	const choice = (/** @type {boolean} */ value) => h("label", { class: "choice" }, h("input", { type: "radio", name, checked: question.isTrue === value, onchange: () => { question.isTrue = value; changed(); } }), value ? "True" : "False");
	return { element: h("fieldset", { class: "stack tight" }, h("legend", { class: "field-name" }, "It is"), choice(true), choice(false)), fields: () => [] };
}

/** Rows of options, each with a box that says whether it is right. @param {Question} question @param {() => void} changed @returns {Part} */
function options(question, changed) {
	const isSet = question.kind === "multiple", name = `right-${++made}`, list = question.options;
	if (!isSet) list.forEach((option, i) => { option.isRight &&= list.findIndex((other) => other.isRight) === i; });
	/** @type {Map<object, {mark: HTMLInputElement, text: ReturnType<typeof field>, element: HTMLElement}>} */
	const rows = new Map();
	const problem = h("p", { class: "problem", role: "alert", hidden: true }), items = h("ol", { class: "plain-list stack tight" });
	const edited = () => { problem.hidden = true; changed(); };
	const row = (/** @type {import("./teach-quiz-draft.js").Option} */ option) => {
		const mark = h("input", { type: isSet ? "checkbox" : "radio", name, checked: option.isRight, onchange: () => {
			if (!isSet) for (const other of list) other.isRight = false;
			option.isRight = mark.checked;
			edited();
		} });
		const text = field("Option", { name: "quiz-option", value: option.text, required: true, maxLength: 500, autocomplete: "off", oninput: (value) => { option.text = value; edited(); },
			check: (value) => (list.some((other) => other !== option && other.text.trim() === value) ? "There is another option with this text." : "") });
		const label = /** @type {HTMLElement} */ (text.element.querySelector("label"));
		const remove = h("button", { class: "button quiet icon", type: "button", onclick: () => drop(option) }, "✕");
		const element = h("li", { class: "option-edit" }, h("label", { class: "check" }, mark, h("span", { class: "small" }, "Right")), text.element, remove);
		const number = (/** @type {number} */ n) => {
			label.textContent = `Option ${n}`;
			mark.setAttribute("aria-label", `Option ${n} is right`);
			remove.setAttribute("aria-label", `Remove option ${n}`);
			remove.disabled = list.length <= 2;
		};
		return { mark, text, element, number };
	};
	const draw = () => {
		const shown = list.map((option) => { const made = rows.get(option) ?? row(option); rows.set(option, made); return /** @type {ReturnType<typeof row>} */ (made); });
		shown.forEach(({ number }, i) => number(i + 1));
		fill(items, shown.map(({ element }) => element));
		addButton.hidden = list.length >= mostOptions;
	};
	const drop = (/** @type {import("./teach-quiz-draft.js").Option} */ option) => { list.splice(list.indexOf(option), 1); draw(); edited(); addButton.focus(); };
	const addButton = h("button", { class: "button small", type: "button", onclick: () => { list.push(newOption()); draw(); edited(); rows.get(/** @type {object} */ (list.at(-1)))?.text.input.focus(); } }, "Add an option");
	draw();
	/** Whether an option is marked as right. @type {() => Field} */
	const marked = () => ({ input: /** @type {HTMLElement} */ (rows.get(list[0])?.mark), valid: () => {
		problem.textContent = list.some((option) => option.isRight) ? "" : "Say which option is right.";
		problem.hidden = problem.textContent === "";
		return problem.hidden;
	} });
	const element = h("fieldset", { class: "stack tight" }, h("legend", { class: "field-name" }, isSet ? "Options, of which several may be right" : "Options, of which one is right"), items, problem, h("div", {}, addButton));
	return { element, fields: () => [...list.flatMap((option) => rows.get(option)?.text ?? []), marked()] };
}
