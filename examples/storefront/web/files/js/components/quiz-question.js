// A question of a quiz as a student answers it: one field for each of the five kinds.
import { h } from "../dom.js";

/** @typedef {import("../types").Answer<"POST /api/quiz/attempts">["attempt"]["questions"][number]} Question */
/** What a student answers: by kind the id of an option, several of them, a truth value, or a text; null is no answer. @typedef {string | (string | number)[] | boolean | number | null} Given */

/** What to do, by kind. @type {Partial<Record<Question["kind"], string>>} */
const hints = {
	multiple: "Choose all that are right.",
	number: "A number, such as 12 or 3.5. A unit after it is fine.",
};

/**
 * @param {Question} question @param {number} index from 0
 * @param {Given | undefined} given what was answered before
 * @param {(given: Given, isTyped: boolean) => void} onchange isTyped: the answer is being typed, so that more of it may follow
 */
export function questionField(question, index, given, onchange) {
	const name = `question-${index}`, hint = hints[question.kind];
	const problem = h("p", { class: "problem", id: `${name}-problem`, hidden: true });
	const change = (/** @type {Given} */ value, isTyped = false) => { problem.hidden = true; onchange(value, isTyped); };
	const { inputs, body } = isWritten(question.kind) ? written(question, name, given, change) : choices(question, name, given, change);
	const element = h("fieldset", { class: "card question", "aria-describedby": hint ? `${name}-hint ${problem.id}` : problem.id },
		h("legend", {}, `${index + 1}. `, h("bdi", { class: "preserve" }, question.question)),
		h("div", { class: "stack tight" }, hint && h("p", { class: "muted small", id: `${name}-hint` }, hint), body), problem);
	return { element, inputs, /** Says that the answer is missing. */ miss: () => { problem.textContent = isWritten(question.kind) ? "Please write an answer." : "Please choose an answer."; problem.hidden = false; } };
}

/** Whether a question is answered by typing. @param {Question["kind"]} kind */
export const isWritten = (kind) => kind === "number" || kind === "text";

/** Whether something was answered. @param {Given | undefined} given */
export const isAnswered = (given) => given !== null && given !== undefined && given !== "" && (!Array.isArray(given) || given.length > 0);

/** @param {Question} question @param {string} name @param {Given | undefined} given @param {(given: Given) => void} change */
function choices({ kind, options }, name, given, change) {
	const isSet = kind === "multiple", isTruth = kind === "true-false";
	const shown = isTruth ? truths : options;
	const isGiven = (/** @type {string} */ id) => (isSet ? Array.isArray(given) && given.includes(id) : isTruth ? given === (id === "true") : given === id);
	const answer = (/** @type {string} */ id) => {
		if (!isSet) return isTruth ? id === "true" : id;
		const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
		return chosen.length > 0 ? chosen : null;
	};
	const inputs = shown.map(({ optionId }) => h("input", { type: isSet ? "checkbox" : "radio", name, value: optionId, checked: isGiven(optionId), onchange: () => change(answer(optionId)) }));
	return { inputs, body: shown.map(({ text }, i) => h("label", { class: "choice" }, inputs[i], h("bdi", { class: "preserve" }, text))) };
}

/** The choices of a question that is true or false. */
export const truths = [{ optionId: "true", text: "True" }, { optionId: "false", text: "False" }];

/** @param {Question} question @param {string} name @param {Given | undefined} given @param {(given: Given, isTyped: boolean) => void} change */
function written({ kind, question }, name, given, change) {
	const isNumber = kind === "number";
	const reading = h("p", { role: "status", hidden: true });
	const show = (/** @type {string} */ text) => {
		const problem = numberProblem(text), read = problem === "" ? readingOf(text) : "";
		reading.textContent = problem || read;
		reading.className = problem ? "problem" : "muted small";
		reading.hidden = problem === "" && read === "";
	};
	const input = h("input", { class: "input", name, type: "text", value: isAnswered(given) ? String(given) : "", maxLength: 500, autocomplete: "off", inputMode: isNumber ? "decimal" : null, "aria-label": `Answer: ${question}`, oninput: () => {
		if (isNumber) show(input.value.trim());
		change(input.value.trim() === "" ? null : input.value, true);
	} });
	if (isNumber) show(input.value.trim());
	return { inputs: [input], body: isNumber ? [input, reading] : [input] };
}

/** Why a text does not count as a number, or "". @param {string} text */
function numberProblem(text) {
	const comma = /^[-+−]?\d*,\d*/.exec(text)?.[0];
	if (comma) return `“${comma}” does not count as a number. Write decimals after a point, such as ${/^[-+−]?\d+,\d+(?![\d,])/.test(text) ? comma.replace(",", ".") : "3.5"}, and thousands without a separator.`;
	return /^[-+−]?[\d.]+\s*[\s/'’]\s*\d/.test(text) ? "Write one number, such as 3.5 or 12000: with a space or a slash in it the answer does not count." : "";
}

/** How a number with more around it is read, or "". @param {string} text */
function readingOf(text) {
	const number = /^([-+−]?(?:\d+\.?\d*|\.\d+))\s*[\p{L}\p{Sc}%‰°'"′″/([]\D*$/u.exec(text)?.[1];
	return number ? `Read as ${number}; the unit is ignored.` : "";
}
