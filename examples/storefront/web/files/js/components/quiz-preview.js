// A quiz as students see it, for those who write it. Nothing of what is answered here is stored.
import { h } from "../dom.js";
import { count, number } from "../format.js";
import { questionField } from "./quiz-question.js";

/** @typedef {import("./quiz-question.js").Question} Question */
/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/quizzes/{chapterId}">["quiz"]} Written @typedef {Written["settings"]} Settings */

/** @param {Question[]} questions @param {Settings} settings */
export const quizPreview = (questions, settings) => h("div", { class: "stack" },
	h("p", { class: "notice" }, "This is what a student sees. Nothing that you answer here is stored."),
	h("ul", { class: "muted" }, rules(questions.length, settings).map((rule) => h("li", {}, rule))),
	questions.map((question, i) => questionField(question, i, null, () => {}).element));

/** How a quiz is taken, in sentences. @param {number} all how many questions the quiz has @param {Settings} settings */
function rules(all, { draw, shuffle, minutes, attempts, passPercent = 50, review = "never" }) {
	const reviews = { always: "The right answers are shown after each attempt.", passed: "The right answers are shown after an attempt that is passed.", never: "The right answers are not shown." };
	return [
		draw && draw < all ? `Each attempt has ${number(draw)} of the ${count(all, "question")} below, drawn by chance.` : `Each attempt has ${all === 1 ? "the question" : `all ${number(all)} questions`}.`,
		shuffle ? "Questions and options come in another order each time." : "",
		minutes ? `An attempt takes ${count(minutes, "minute")} at most.` : "There is no time limit.",
		attempts ? `A student has ${count(attempts, "attempt")}.` : "A student may try as often as they like.",
		`It is passed from ${number(passPercent)} % on.`, reviews[review],
	].filter(Boolean);
}
