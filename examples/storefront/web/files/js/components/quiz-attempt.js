// An attempt at a quiz that the server keeps: begun, answered, submitted, and gone on with after a reload.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { count, number, time } from "../format.js";
import { session } from "../session.js";
import { AnswerSaver } from "./answer-saver.js";
import { actionWithProblem, problemNotice } from "./problem.js";
import { busy } from "./button.js";
import { countdown } from "./countdown.js";
import { ask } from "./dialog.js";
import { isAnswered, questionField } from "./quiz-question.js";
import { quizResult, solvedOf } from "./quiz-result.js";
import { solutions } from "./quiz-solutions.js";
import { explain } from "./states.js";

/** @typedef {import("../types").Answer<"GET /api/quiz/attempts/{attemptId}">} AttemptState */
/** @typedef {AttemptState["attempt"]} Attempt @typedef {NonNullable<AttemptState["result"]>} Result */
/** What the page gives: where the quiz is, the link to what comes after it, and what to do after a result. @typedef {{path: {courseId: string, chapterId: string}, signal: AbortSignal, onward: (kind: string) => HTMLElement, onResult: () => void}} View */

/** The key under which this browser keeps the id of the attempt that is open. @param {View} view */
const key = ({ path: { courseId, chapterId } }) => `storefront.attempt.${session.person()?.userId ?? ""}.${courseId}.${chapterId}`;

/** The attempt that is open in this browser, or the button that begins one. @param {View} view */
export function quizAttempt(view) {
	const box = h("div", { class: "stack" });
	const attemptId = localStorage.getItem(key(view));
	if (!attemptId) return fill(box, opening(box, view));
	const read = async () => {
		try {
			return await call("GET /api/quiz/attempts/{attemptId}", { path: { attemptId } });
		} catch (error) {
			if (error instanceof ApiError && error.status === 404) return null;
			throw error;
		}
	};
	return fill(box, load(read, (state) => {
		if (!state) return opening(box, view);
		if (state.result) localStorage.removeItem(key(view));
		return state.result ? resultOf(box, view, state.attempt, state.result) : running(box, view, state.attempt);
	}));
}

/** @param {HTMLElement} box @param {View} view */
const opening = (box, view) => h("div", { class: "card pad stack" },
	h("h2", {}, "Before you begin"),
	h("p", {}, "From the start on this quiz may have a time limit, which goes on while you are away, and the number of attempts may be limited. Your answers are saved as you give them, so that you can go on after a reload and on another device."),
	h("p", {}, "If you have begun an attempt, you go on with it."), h("div", { class: "row" }, startButton(box, view, "Start the quiz")));

/** @param {HTMLElement} box @param {View} view @param {string} text @param {string} [kind] */
const startButton = (box, view, text, kind = "primary") => actionWithProblem(text, async () => {
	const { attempt } = await call("POST /api/quiz/attempts", { body: view.path }).catch((error) => {
		throw error instanceof ApiError && error.status === 409 ? new ApiError(409, "You have no attempts left at this quiz. Your results are below.") : error;
	});
	localStorage.setItem(key(view), attempt._id);
	fill(box, running(box, view, attempt));
	box.querySelector("input")?.focus();
}, { kind });

/** @param {HTMLElement} box @param {View} view @param {Attempt} attempt */
function running(box, view, attempt) {
	const ended = new AbortController(), signal = AbortSignal.any([ended.signal, view.signal]);
	const problem = problemNotice(), saved = h("p", { class: "muted small", role: "status" });
	const saver = new AnswerSaver(attempt._id, { signal: view.signal, watch: (state, error) => {
		saved.classList.toggle("problem", state === "waiting" || state === "refused");
		if (state === "waiting") fill(saved, `Your last answer is not saved yet, and is sent again by itself. ${explain(error)}`);
		else if (state === "refused") fill(saved, `Your last answer is not saved. ${explain(error)}`);
		else fill(saved, { saving: "Saving…", saved: "All answers are saved.", ended: "The time is over. Your answers are being marked…" }[state]);
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
			throw error;
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
