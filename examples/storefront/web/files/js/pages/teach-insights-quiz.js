// What an educator does with the quiz of a chapter: read its questions with the solutions, and edit it.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { count, day } from "../format.js";
import { solutions } from "../components/quiz-solutions.js";
import { pathTo } from "../paths.js";

/** @typedef {{courseId: string, chapterId: string, chapterTitle: string}} Chapter */
/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/quizzes/{chapterId}">["quiz"]} Quiz */

let made = 0;

/** Buttons and the questions of a chapter's quiz. @param {Chapter} chapter */
export function quizTools({ courseId, chapterId, chapterTitle }) {
	const id = `questions-${++made}`, region = h("div", { id, hidden: true });
	const see = h("button", { class: "button", type: "button", "aria-controls": id, "aria-label": `Questions on ${chapterTitle}`, onclick: () => show(region.hidden) }, "Questions");
	const show = (/** @type {boolean} */ open) => {
		region.hidden = !open;
		see.setAttribute("aria-expanded", String(open));
		if (open) fill(region, load(() => read({ courseId, chapterId }), questions));
	};
	show(false);
	const results = h("a", { class: "button", href: pathTo.quizResults(courseId, chapterId), "aria-label": `Results: ${chapterTitle}` }, "Results");
	const edit = h("a", { class: "button", href: pathTo.editQuiz(courseId, chapterId), "aria-label": `Edit the quiz: ${chapterTitle}` }, "Edit");
	return h("div", { class: "stack quiz-tools" }, h("div", { class: "row" }, see, results, edit), region);
}

/** The stored quiz. If there is none, the AI writes it, as for the first student. @param {{courseId: string, chapterId: string}} path */
async function read(path) {
	const stored = () => call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}", { path });
	try {
		return await stored();
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		await call("GET /api/quiz/{courseId}/{chapterId}", { path });
		return stored();
	}
}

/** @param {{quiz: Quiz}} answer */
const questions = ({ quiz }) => h("div", { class: "stack" }, h("p", { class: "muted small" }, `${count(quiz.questions.length, "question")}, written ${day(quiz.updatedAt)}. Only you see the solutions.`), solutions(quiz.questions));
