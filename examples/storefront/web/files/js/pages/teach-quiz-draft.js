// A quiz that is being written: what the form holds, what the fields may hold, and where it is kept.
import { session } from "../session.js";
import { store } from "./teach-new-draft.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/quizzes/{chapterId}">["quiz"]} Quiz */
/** @typedef {import("../types").Answer<"POST /api/quiz/generate">["quiz"]} WrittenQuiz */
/** @typedef {NonNullable<import("../types").Options<"PUT /api/educator/courses/{courseId}/quizzes/{chapterId}">["body"]>} Sent */
/** @typedef {Quiz["questions"][number]["kind"]} Kind */
/**
 * Numbers are kept as typed. id is "" for a new question or option. The fields of other kinds are kept, so
 * that a change of the kind can be taken back.
 * @typedef {{id: string, text: string, isRight: boolean}} Option
 * @typedef {{id: string, kind: Kind, text: string, options: Option[], isTrue: boolean, number: string, tolerance: string, texts: string, points: string, explanation: string}} Question
 * @typedef {{draw: string, shuffle: boolean, minutes: string, attempts: string, passPercent: string, review: "always" | "passed" | "never"}} Settings
 * @typedef {{questions: Question[], settings: Settings}} Draft
 * version is that of the stored quiz below the draft, 0 for none
 * @typedef {{version: number, draft: Draft}} Edit
 */

export const mostQuestions = 500, mostOptions = 10, mostTexts = 20;

/** The kinds as people call them. @type {[Kind, string][]} */
export const kinds = [["single", "One right option"], ["multiple", "Several right options"], ["true-false", "True or false"], ["number", "A number"], ["text", "A short text"]];

/** @returns {Option} */
export const newOption = () => ({ id: "", text: "", isRight: false });

/** @returns {Question} */
export const newQuestion = () => ({ id: "", kind: "single", text: "", options: [newOption(), newOption()], isTrue: true, number: "", tolerance: "", texts: "", points: "1", explanation: "" });

/** What the form shows of a stored quiz, or of none. @param {Quiz | null} quiz @returns {Draft} */
export function draftOf(quiz) {
	if (!quiz) return { questions: [newQuestion()], settings: settingsOf({}) };
	return { questions: quiz.questions.map(questionOf), settings: settingsOf(quiz.settings) };
}

/** @param {Quiz["settings"]} settings @returns {Settings} */
function settingsOf({ draw, shuffle = false, minutes, attempts, passPercent = 50, review = "never" }) {
	const text = (/** @type {number | undefined} */ n) => (n ? String(n) : "");
	return { draw: text(draw), shuffle, minutes: text(minutes), attempts: text(attempts), passPercent: String(passPercent), review };
}

/** @param {Quiz["questions"][number]} question @returns {Question} */
function questionOf({ questionId, kind, question, options, answer, tolerance, points, explanation }) {
	const right = /** @type {unknown[]} */ (Array.isArray(answer) ? answer : [answer]);
	return {
		...newQuestion(), id: questionId, kind, text: question, points: String(points), explanation, tolerance: tolerance ? String(tolerance) : "",
		options: options.length > 0 ? options.map(({ optionId, text }) => ({ id: optionId, text, isRight: right.includes(optionId) })) : [newOption(), newOption()],
		isTrue: answer !== false, number: kind === "number" ? String(answer) : "", texts: kind === "text" ? right.join("\n") : "",
	};
}

/** The questions that the AI has written. @param {WrittenQuiz} quiz @returns {Question[]} */
export const writtenQuestions = (quiz) => quiz.questions.map(({ question, options, correctIndex, explanation = "" }) => ({
	...newQuestion(), text: question, explanation, options: options.map((text, i) => ({ id: "", text, isRight: i === correctIndex })),
}));

/** What is sent to the server, if all fields are right. @param {Edit} edit @returns {Sent} */
export function sentOf({ version, draft: { questions, settings } }) {
	const { shuffle, review } = settings, number = (/** @type {string} */ text) => (text === "" ? undefined : Number(text));
	return {
		version, questions: questions.map(sentQuestion),
		settings: { draw: number(settings.draw), shuffle, minutes: number(settings.minutes), attempts: number(settings.attempts), passPercent: number(settings.passPercent), review },
	};
}

/** @param {Question} question @returns {Sent["questions"][number]} */
function sentQuestion({ id, kind, text, options, isTrue, number, tolerance, texts, points, explanation }) {
	const right = options.flatMap(({ isRight }, i) => (isRight ? [i] : []));
	const answers = { single: right[0], multiple: right, "true-false": isTrue, number: decimalOf(number), text: linesOf(texts) };
	return {
		questionId: id || undefined, kind, question: text.trim(), answer: answers[kind], points: Number(points), explanation: explanation.trim(),
		options: hasOptions(kind) ? options.map((option) => ({ optionId: option.id || undefined, text: option.text.trim() })) : undefined,
		tolerance: kind === "number" && tolerance !== "" ? decimalOf(tolerance) : undefined,
	};
}

/** The questions of a draft as a student gets them, also while fields are empty. @param {Draft} draft @returns {import("../components/quiz-question.js").Question[]} */
export const askedOf = ({ questions }) => questions.map(({ kind, text, options }, i) => ({
	questionId: String(i), kind, question: text.trim() || "(no question yet)", options: hasOptions(kind) ? options.map((option, j) => ({ optionId: String(j), text: option.text.trim() || "(no text yet)" })) : [],
}));

/** @param {Kind} kind */
export const hasOptions = (kind) => kind === "single" || kind === "multiple";

/** @param {string} text */
export const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** A number, with a point or a comma before the decimals; NaN if it is none. @param {string} text */
export const decimalOf = (text) => (/^[-+]?\d+([.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : NaN);

/** What is wrong with a whole number, or "". @param {number} least @param {number} most */
export const whole = (least, most) => (/** @type {string} */ text) => (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? "" : `A whole number from ${least} to ${most.toLocaleString()}.`);

/** What is wrong with a draft as a whole, or "". @param {Draft} draft */
export function problemOf({ questions, settings: { draw } }) {
	if (questions.length === 0) return "A quiz needs at least one question.";
	if (questions.length > mostQuestions) return `A quiz has at most ${mostQuestions} questions; there are ${questions.length}. Remove some.`;
	if (Number(draw) > questions.length) return `Each attempt is to have ${draw} questions, and there are ${questions.length}. Write more questions, or have fewer drawn.`;
	return "";
}

/** @param {string} courseId @param {string} chapterId */
const key = (courseId, chapterId) => `storefront.quiz-edit.${session.writer()}.${courseId}.${chapterId}`;

/** What was typed in this tab and not saved, or null. @param {{courseId: string, chapterId: string}} place @returns {Edit | null} */
export function readEdit({ courseId, chapterId }) {
	try {
		return JSON.parse(sessionStorage.getItem(key(courseId, chapterId)) || "null");
	} catch {
		return null;
	}
}

/** @param {{courseId: string, chapterId: string}} place @param {Edit} edit */
export const keepEdit = ({ courseId, chapterId }, edit) => store(key(courseId, chapterId), edit);
/** @param {{courseId: string, chapterId: string}} place */
export const forgetEdit = ({ courseId, chapterId }) => sessionStorage.removeItem(key(courseId, chapterId));
