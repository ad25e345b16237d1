// An attempt at a quiz that the server keeps: begun, answered, submitted, and gone on with after a reload.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { ago, count, number, time } from "../format.js";
import { session } from "../session.js";
import { AnswerSaver } from "./answer-saver.js";
import { actionWithProblem, problemNotice } from "./problem.js";
import { busy } from "./button.js";
import { countdown } from "./countdown.js";
import { ask } from "./dialog.js";
import { openAttempt, rules } from "./quiz-outline.js";
import { isAnswered, questionField } from "./quiz-question.js";
import { quizResult, solvedOf } from "./quiz-result.js";
import { solutions } from "./quiz-solutions.js";
import { explain } from "./states.js";

/** @typedef {import("../types").Answer<"GET /api/quiz/attempts/{attemptId}">} AttemptState */
/** @typedef {AttemptState["attempt"]} Attempt @typedef {NonNullable<AttemptState["result"]>} Result */
/** What the page gives: where the quiz is, what it is, the link to what comes after it, and what to do after a result. @typedef {{path: {courseId: string, chapterId: string}, outline: import("./quiz-outline.js").Outline, signal: AbortSignal, onward: (kind: string) => HTMLElement, onResult: () => void}} View */

/** The key under which this browser keeps the id of the attempt that is open. @param {View} view */
const key = ({ path: { courseId, chapterId } }) => `storefront.attempt.${session.writer()}.${courseId}.${chapterId}`;

/** The attempt that was begun in this browser and not finished, or what the quiz is and the button that begins or continues one. @param {View} view */
export function quizAttempt(view) {
	const box = h("div", { class: "stack" });
	const attemptId = localStorage.getItem(key(view));
	localStorage.removeItem(key(view));
	const isListed = view.outline.attempts.some(({ _id }) => _id === attemptId);
	return fill(box, attemptId && isListed ? load(() => read(attemptId), (state) => show(box, view, state)) : opening(box, view));
}

/** @param {string} attemptId */
const read = (attemptId) => call("GET /api/quiz/attempts/{attemptId}", { path: { attemptId } });

/** The questions of an attempt that is open, or its result if its time is over. @param {HTMLElement} box @param {View} view @param {AttemptState} state */
const show = (box, view, { attempt, result }) => (result ? resultOf(box, view, attempt, result) : running(box, view, attempt));

/** @param {HTMLElement} box @param {View} view */
function opening(box, view) {
	const { quiz, attemptsLeft } = view.outline, open = openAttempt(view.outline);
	if (open) return h("div", { class: "card pad stack" }, h("h2", {}, "You have begun this quiz"),
		h("p", {}, `Your attempt began ${ago(open.startedAt ?? "")}, and your answers are saved. `, open.endsAt ? `Its time goes on, and ends on ${time(open.endsAt)}.` : "It has no time limit."),
		h("div", { class: "row" }, actionWithProblem("Continue", async () => { fill(box, show(box, view, await read(open._id))); box.querySelector("input")?.focus(); }, { kind: "primary" })));
	return h("div", { class: "card pad stack" }, h("h2", {}, attemptsLeft === 0 ? "About this quiz" : "Before you begin"), quiz && rules(quiz, attemptsLeft),
		attemptsLeft !== 0 && h("p", {}, "Your answers are saved as you give them, so that you can go on after a reload and on another device."),
		attemptsLeft !== 0 && h("div", { class: "row" }, startButton(box, view, "Start the quiz")));
}

/** @param {HTMLElement} box @param {View} view @param {string} text @param {string} [kind] */
const startButton = (box, view, text, kind = "primary") => actionWithProblem(text, async () => {
	const { attempt } = await call("POST /api/quiz/attempts", { body: view.path }).catch((error) => { throw notBegun(error); });
	fill(box, running(box, view, attempt));
	box.querySelector("input")?.focus();
}, { kind });

/** Says why an attempt did not begin, and what to do. @param {unknown} error */
function notBegun(error) {
	if (error instanceof ApiError && error.status === 409) return new ApiError(409, "You have no attempts left at this quiz. Your results are below.");
	if (error instanceof ApiError && error.status === 404) return new ApiError(404, "The educator has removed this quiz. Go on with what comes next.");
	return error;
}

/** @param {HTMLElement} box @param {View} view @param {Attempt} attempt */
function running(box, view, attempt) {
	localStorage.setItem(key(view), attempt._id);
	const ended = new AbortController(), signal = AbortSignal.any([ended.signal, view.signal]);
	const problem = problemNotice(), saved = h("p", { class: "muted small", role: "status" });
	const saver = new AnswerSaver(attempt._id, { signal: view.signal, watch: (state, error) => {
		saved.classList.toggle("problem", state === "waiting" || state === "refused");
		if (state === "waiting") fill(saved, `Your last answer is not saved yet, and is sent again by itself. ${explain(error)}`);
		else if (state === "refused") fill(saved, `Your last answer is not saved. ${explain(ifDenied(error))}`);
		else if (state === "ended") fill(saved, `${explain(error)}. Your result is on the way…`);
		else fill(saved, state === "saved" ? "All answers are saved." : "Saving…");
		if (state === "ended") submit().catch(problem.show); // the time is over, or it was submitted in another tab
	} });
	/** @type {Record<string, import("./quiz-question.js").Given>} */
	const answers = { ...attempt.answers, ...saver.pending };
	const note = h("p", { class: "muted small number" });
	const say = () => { note.textContent = `${attempt.questions.filter(({ questionId }) => isAnswered(answers[questionId])).length} of ${count(attempt.questions.length, "question")} answered`; };
	const questions = attempt.questions.map((question, i) => questionField(question, i, answers[question.questionId], (given, isTyped) => {
		answers[question.questionId] = given;
		saver.put(question.questionId, given, isTyped);
		say();
	}));
	/** Marks the attempt; what is not saved goes along. */
	const submit = async () => {
		saver.end();
		try {
			const { result } = await call("POST /api/quiz/attempts/{attemptId}/submit", { path: { attemptId: attempt._id }, body: { answers: saver.pending } });
			saver.forget();
			ended.abort();
			localStorage.removeItem(key(view));
			fill(box, resultOf(box, view, attempt, result));
			view.onResult();
			document.getElementById("result")?.focus();
		} catch (error) {
			saver.goOn();
			throw ifDenied(error);
		}
	};
	const button = h("button", { class: "button primary", type: "submit" }, "Submit your answers");
	say();
	return h("form", { class: "stack", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => {
		event.preventDefault();
		problem.hide();
		busy(button, () => askAndSubmit(questions, attempt, answers, submit)).catch(problem.show);
	} },
	h("div", { class: "quiz-bar row spread" }, attempt.endsAt ? countdown(attempt.endsAt, { signal, atEnd: () => atEnd(saver, submit, signal).catch(problem.show) }) : h("span", { class: "muted small" }, "No time limit"), note),
	attempt.endsAt && h("p", { class: "muted small" }, `It is submitted by itself at ${time(attempt.endsAt)}, with the answers that are saved.`),
	questions.map(({ element }) => element), problem.element, h("div", { class: "quiz-end" }, button, saved));
}

/** Says what becomes of an attempt of a student whose access has ended. @param {unknown} error */
const ifDenied = (error) => (error instanceof ApiError && error.status === 403 ? new ApiError(403, "Your access to this course has ended. The answers that were saved before count; you find the result on the page of this quiz.") : error);

/** Asks first if questions have no answer. @param {ReturnType<typeof questionField>[]} questions @param {Attempt} attempt @param {Record<string, import("./quiz-question.js").Given>} answers @param {() => Promise<void>} submit */
async function askAndSubmit(questions, attempt, answers, submit) {
	const open = attempt.questions.flatMap(({ questionId }, i) => (isAnswered(answers[questionId]) ? [] : [i]));
	if (open.length === 0) return submit();
	for (const i of open) questions[i].miss();
	const sure = await ask({ title: open.length === 1 ? "Submit without an answer to one question?" : `Submit without answers to ${number(open.length)} questions?`, action: "Submit it so", submit,
		body: h("p", {}, open.length === 1 ? `Question ${open[0] + 1} has no answer, and counts as not right.` : `Questions ${open.map((i) => i + 1).join(", ")} have no answer, and count as not right.`) });
	if (sure) document.getElementById("result")?.focus();
	else questions[open[0]].inputs[0].focus();
	return undefined;
}

/** Milliseconds between the questions whether the server takes answers still, after the time has ended here. */
const askAgain = 2000;

/** Submits when the server, too, says that the time is over: until then it takes answers, and the clock here may be wrong. @param {AnswerSaver} saver @param {() => Promise<void>} submit @param {AbortSignal} signal */
async function atEnd(saver, submit, signal) {
	while (!signal.aborted) {
		try {
			await call("PUT /api/quiz/attempts/{attemptId}", { path: { attemptId: saver.attemptId }, body: { answers: saver.pending } });
		} catch (error) {
			if (error instanceof ApiError && error.status === 409) return submit();
			if (!(error instanceof ApiError) || (error.status > 0 && error.status < 500 && error.status !== 429)) throw error;
		}
		await new Promise((resolve) => setTimeout(resolve, askAgain));
	}
	return undefined;
}

/** @param {HTMLElement} box @param {View} view @param {Attempt} attempt @param {Result} result */
function resultOf(box, view, attempt, result) {
	const left = attempt.attemptsLeft;
	return h("div", { class: "stack" },
		quizResult(result, h("div", { class: "stack" },
			h("p", { class: "muted" }, left === null ? "You can take the quiz as often as you like." : left === 0 ? "You have no attempts left." : `You have ${count(left, "attempt")} left.`),
			h("div", { class: "row" }, view.onward("primary"), left !== 0 && startButton(box, view, "Begin another attempt", "")))),
		result.questions && h("div", { class: "card pad stack" }, h("h2", {}, "Your answers"), solutions(solvedOf(attempt.questions, result.questions))));
}
