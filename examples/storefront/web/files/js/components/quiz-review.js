// An earlier attempt at a quiz, with its result and the answers.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { time } from "../format.js";
import { pathTo } from "../paths.js";
import { quizResult, solvedOf } from "./quiz-result.js";
import { solutions } from "./quiz-solutions.js";
import { empty } from "./states.js";

/** @param {{courseId: string, chapterId: string}} path @param {string} attemptId */
export function quizReview({ courseId, chapterId }, attemptId) {
	const quiz = pathTo.quiz(courseId, chapterId);
	return [h("header", { class: "stack tight quiz-head" }, h("p", { class: "small" }, h("a", { href: quiz }, "Back to the quiz")), h("h1", {}, "Your attempt")),
		load(() => call("GET /api/quiz/attempts/{attemptId}", { path: { attemptId } }), ({ attempt, result }) => (result ? h("div", { class: "stack" },
			h("p", { class: "muted" }, `Submitted on ${time(attempt.submittedAt ?? attempt.startedAt)}.`), quizResult(result),
			result.questions ? h("div", { class: "card pad stack" }, h("h2", {}, "Your answers"), solutions(solvedOf(attempt.questions, result.questions))) : h("p", { class: "muted" }, "This quiz does not show its answers after such an attempt."))
			: empty("This attempt is open", "It has no result yet.", h("a", { class: "button primary", href: quiz }, "Go on with it"))))];
}
