// Questions of a quiz with what is right and, after an attempt, with what was answered.
import { h } from "../dom.js";
import { count } from "../format.js";
import { isAnswered, truths } from "./quiz-question.js";

/** @typedef {import("./quiz-question.js").Question} Question */
/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/quizzes/{chapterId}">["quiz"]["questions"][number]["answer"]} Answer */
/** answered tells what the student answered. @typedef {Question & {answer: Answer, tolerance?: number, points: number, explanation: string, answered?: {given: Answer, isCorrect: boolean}}} Solved */

/** @param {Solved[]} questions @param {string} [given] what is said of the answer of the student, by default to the student */
export const solutions = (questions, given = "your answer") => h("ol", { class: "quiz-questions stack loose" }, questions.map((solved) => h("li", {},
	h("p", {}, h("strong", { class: "preserve" }, h("bdi", {}, solved.question))),
	h("p", { class: "row small" }, solved.answered && h("span", { class: `badge ${solved.answered.isCorrect ? "good" : "bad"}` }, solved.answered.isCorrect ? "Right" : isAnswered(solved.answered.given) ? "Not right" : "Not answered"), h("span", { class: "muted" }, count(solved.points, "point"))),
	solved.kind === "number" || solved.kind === "text" ? written(solved, given) : chosen(solved, given),
	solved.explanation && h("p", { class: "muted small preserve" }, h("bdi", {}, solved.explanation)))));

/** The choices, with marks on those that are right and those that were chosen. @param {Solved} solved @param {string} given */
function chosen({ kind, options, answer, answered }, given) {
	const has = (/** @type {Answer | undefined} */ value, /** @type {string} */ id) => (Array.isArray(value) ? value.includes(id) : String(value) === id);
	return h("ul", { class: "plain-list" }, (kind === "true-false" ? truths : options).map(({ optionId, text }) => {
		const isRight = has(answer, optionId), isGiven = answered !== undefined && has(answered.given, optionId);
		return h("li", { class: isRight ? "correct" : "" }, h("span", { "aria-hidden": "true" }, isRight ? "✓" : isGiven ? "✗" : "·"),
			h("span", {}, h("bdi", {}, text), isRight && h("span", { class: "badge good" }, "correct"), isGiven && h("span", { class: "badge" }, given)));
	}));
}

/** @param {Solved} solved @param {string} given */
function written({ answer, tolerance, answered }, given) {
	const right = Array.isArray(answer) ? answer.join(" or ") : `${answer}${tolerance ? ` ± ${tolerance}` : ""}`;
	return h("ul", { class: "plain-list" }, h("li", { class: "correct" }, h("span", { "aria-hidden": "true" }, "✓"), h("span", {}, h("bdi", {}, right), h("span", { class: "badge good" }, "correct"))),
		answered && isAnswered(answered.given) && h("li", {}, h("span", { "aria-hidden": "true" }, answered.isCorrect ? "✓" : "✗"), h("span", {}, h("bdi", {}, String(answered.given)), h("span", { class: "badge" }, given))));
}
