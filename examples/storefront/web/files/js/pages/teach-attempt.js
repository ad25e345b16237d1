// One submitted attempt of a student at a quiz: the result, and each question with the answer and what is right.
import { h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";
import { clock, number, time } from "../format.js";
import { figures } from "../components/figures.js";
import { passedBadge } from "../components/mark.js";
import { solvedOf } from "../components/quiz-result.js";
import { solutions } from "../components/quiz-solutions.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/educator/attempts/{attemptId}">} Answer */

let heading = "Attempt";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { attemptId }, signal }) {
	const answer = await call("GET /api/educator/attempts/{attemptId}", { path: { attemptId }, signal });
	const { courseId, chapterId, studentId } = answer.attempt;
	const [{ course }, name] = await Promise.all([call("GET /api/educator/courses/{courseId}", { path: { courseId }, signal }), nameOf(courseId, studentId, signal)]);
	const chapter = course.courseContent.find((each) => each.chapterId === chapterId)?.chapterTitle ?? "a chapter that was removed";
	heading = `Attempt of ${name || "a student"}: ${chapter}`;
	const head = session.role() === "admin" ? adminHead : teachHead;
	return [...head(["Attempt: ", h("bdi", {}, chapter)], `At the quiz of a chapter of “${course.courseTitle}”.`), h("div", { class: "stack loose" },
		h("div", { class: "row" }, name !== "" && h("a", { class: "button", href: pathTo.student(courseId, studentId) }, h("bdi", {}, name)), h("a", { class: "button", href: pathTo.quizResults(courseId, chapterId) }, "All results of the quiz")),
		name === "" && h("p", { class: "muted" }, "The student is not enrolled in the course any more."), marks(answer), questions(answer))];
}

/** The name of a student of the course, or "" for one who is not enrolled any more. @param {string} courseId @param {string} userId @param {AbortSignal} signal */
async function nameOf(courseId, userId, signal) {
	try {
		return (await call("GET /api/educator/courses/{courseId}/students/{userId}", { path: { courseId, userId }, signal })).student.name;
	} catch (error) {
		if (error instanceof ApiError && error.status === 404) return "";
		throw error;
	}
}

/** @param {Answer} answer */
function marks({ attempt: { startedAt, submittedAt }, result }) {
	const seconds = submittedAt && startedAt ? (Date.parse(submittedAt) - Date.parse(startedAt)) / 1000 : null;
	return h("div", { class: "stack" }, result && h("p", {}, passedBadge(result.passed)), figures([
		...(result ? [{ label: "Result", value: `${number(result.percentage)} %`, note: `${number(result.score)} of ${number(result.total)} points` }] : []),
		{ label: "Submitted", value: submittedAt ? time(submittedAt) : "–" },
		{ label: "Time", value: seconds === null ? "–" : clock(seconds), note: "minutes and seconds" },
	]));
}

/** @param {Answer} answer */
const questions = ({ attempt, result }) => (result?.questions ? h("div", { class: "card pad stack" }, h("h2", {}, "Answers"), solutions(solvedOf(attempt.questions, result.questions), "answer of the student"))
	: empty("The answers are not kept", "Of this attempt only the result is known. The results of the quiz show those whose answers can be read."));
