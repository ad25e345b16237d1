// The form of a quiz: all questions on one page. The answers are kept until they are submitted, so
// that a reload or another sign-in does not lose them.
import { h } from "../dom.js";
import { count } from "../format.js";
import { session } from "../session.js";
import { busy } from "./button.js";
import { problemNotice } from "./problem.js";
import { questionField } from "./quiz-question.js";

/** @typedef {import("../types").Answer<"GET /api/quiz/{courseId}/{chapterId}">["quiz"]} Quiz */

/**
 * @param {Quiz} quiz
 * @param {(answers: number[]) => Promise<any>} submit gets the index of the chosen option of each question
 */
export function quizForm(quiz, submit) {
	const kept = draft(quiz), answers = kept.read();
	const note = h("p", { class: "muted small number" });
	const problem = problemNotice();
	const say = () => { note.textContent = `${answers.filter((a) => a !== null).length} of ${count(answers.length, "question")} answered`; };
	const questions = askedOf(quiz).map((question, i) => questionField(question, i, answers[i] === null ? null : String(answers[i]), (option) => {
		answers[i] = Number(option);
		kept.write(answers);
		say();
	}));
	const button = h("button", { class: "button primary", type: "submit" }, "Submit your answers");
	say();
	return h("form", { class: "stack", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => {
		event.preventDefault();
		if (!complete(questions, answers, problem)) return;
		busy(button, async () => { await submit(/** @type {number[]} */ (answers)); kept.forget(); }).catch(problem.show);
	} }, questions.map((q) => q.element), problem.element, h("div", { class: "quiz-end" }, button, note));
}

/**
 * Whether all questions are answered. It marks those that are not, and moves the focus to the first.
 * @param {ReturnType<typeof questionField>[]} questions
 * @param {(number | null)[]} answers
 * @param {ReturnType<typeof problemNotice>} problem
 */
function complete(questions, answers, problem) {
	const open = answers.flatMap((answer, i) => (answer === null ? [i] : []));
	for (const i of open) questions[i].miss();
	problem.hide();
	if (open.length === 0) return true;
	problem.show(open.length === 1 ? `Question ${open[0] + 1} has no answer yet.` : `Questions ${open.map((i) => i + 1).join(", ")} have no answer yet.`);
	questions[open[0]].inputs[0].focus();
	return false;
}

/** The questions with their indexes, and those of their options, as ids. @param {Quiz} quiz @returns {import("./quiz-question.js").Question[]} */
export const askedOf = ({ questions }) => questions.map(({ question, options }, i) => ({ questionId: String(i), kind: "single", question, options: options.map((text, j) => ({ optionId: String(j), text })) }));

/** The answers that this browser keeps for one version of a quiz. @param {Quiz} quiz */
function draft(quiz) {
	const key = `storefront.quiz.${session.writer()}.${quiz._id}.${quiz.version}`;
	const none = () => quiz.questions.map(() => /** @type {number | null} */ (null));
	return {
		read: () => /** @type {(number | null)[]} */ (JSON.parse(sessionStorage.getItem(key) || "null") ?? none()),
		write: (/** @type {(number | null)[]} */ answers) => sessionStorage.setItem(key, JSON.stringify(answers)),
		forget: () => sessionStorage.removeItem(key),
	};
}
