// The result of a quiz, and earlier attempts at it.
import { h } from "../dom.js";
import { ago, number } from "../format.js";
import { groupText, mark, passedBadge } from "./mark.js";
import { attemptPath } from "./quiz-outline.js";

/** passed is missing in results of quizzes that the AI writes. @typedef {{score: number, total: number, percentage: number, group: string, recommendations: string, passed?: boolean}} Result */
/** @typedef {import("./quiz-question.js").Question} Question */
/** @typedef {NonNullable<import("../types").Answer<"POST /api/quiz/attempts/{attemptId}/submit">["result"]["questions"]>} Answered */

/** What a student does next, by group. @type {Record<string, string>} */
const advice = {
	needs_review: "Go through the chapter once more, then try again.",
	on_track: "You know most of it. A look at what you missed is enough.",
	mastered: "You know this chapter.",
};

/** What the result means, in a sentence: by the pass mark of the quiz if it has one, and else by the group. @param {Result} result */
function meaning({ group, passed, percentage }) {
	if (passed === undefined) return `${groupText(group)}: ${advice[group]}`;
	if (!passed) return "Look at what you missed, go through the chapter once more, and try again if you have an attempt left.";
	return percentage === 100 ? advice.mastered : "A look at what you missed is enough.";
}

/** @param {Result} result @param {...Node} actions */
export const quizResult = (result, ...actions) => h("section", { class: "card pad stack" },
	h("h2", { id: "result", tabIndex: -1 }, "Your result"),
	h("p", {}, h("span", { class: "quiz-mark" }, `${number(result.percentage)} %`), " ", h("span", { class: "muted" }, result.passed === undefined ? `${result.score} of ${result.total} right` : `${number(result.score)} of ${number(result.total)} points`), " ",
		result.passed !== undefined && passedBadge(result.passed)),
	h("p", {}, meaning(result)),
	h("h3", {}, "What to do next"), recommendations(result),
	h("div", { class: "row" }, actions));

/** The questions that were given, with what is right and what was answered. @param {Question[]} asked @param {Answered} answered @returns {import("./quiz-solutions.js").Solved[]} */
export const solvedOf = (asked, answered) => asked.flatMap((question) => {
	const found = answered.find(({ questionId }) => questionId === question.questionId);
	return found ? [{ ...question, answer: found.answer, points: found.points, explanation: found.explanation, answered: { given: found.given, isCorrect: found.isCorrect } }] : [];
});

/** The recommendations come as lines that begin with "• ". @param {{recommendations: string}} result */
const recommendations = (result) => h("ul", { class: "recommendations" }, lines(result.recommendations).map((line) => h("li", {}, h("bdi", {}, line))));

/** @param {string} text */
const lines = (text) => text.split("\n").map((line) => line.replace(/^•\s*/, "").trim()).filter(Boolean);

/** @param {{courseId: string, chapterId: string}} path @param {(Result & {_id: string, answers: number[], createdAt: string})[]} results those without answers have an attempt with their id */
export const attempts = (path, results) => results.length > 0 && h("section", {},
	h("div", { class: "section-head" }, h("h2", {}, "Your attempts")),
	h("ul", { class: "card list" }, results.map((result) => h("li", { class: "stack tight" },
		h("div", { class: "row spread" }, h("time", { class: "muted small", dateTime: result.createdAt }, ago(result.createdAt)), mark(result)),
		h("details", { class: "small" }, h("summary", { "aria-label": `Recommendations, ${ago(result.createdAt)}` }, "Recommendations"), recommendations(result)),
		result.answers.length === 0 && h("a", { class: "small", href: attemptPath(path, result._id), "aria-label": `Details of the attempt, ${ago(result.createdAt)}` }, "Details")))));
