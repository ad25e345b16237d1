// A student in a course: what is done, how the quizzes went, and when. A student may get more attempts at a quiz.
import { h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";
import { ago, clock, count, day, duration, number } from "../format.js";
import { statuses } from "../components/assignment.js";
import { avatar } from "../components/card.js";
import { figures } from "../components/figures.js";
import { progress } from "../components/progress.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { quizOfStudent } from "./teach-student-quiz.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/students/{userId}">} Answer */

let heading = "Student";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { courseId, userId }, signal }) {
	const [answer, { course }] = await Promise.all([read(courseId, userId, signal), call("GET /api/educator/courses/{courseId}", { path: { courseId }, signal })]);
	const isAdmin = session.role() === "admin", head = isAdmin ? adminHead : teachHead;
	if (answer === null) {
		heading = "Student";
		return [...head("Student", `In the course “${course.courseTitle}”.`), empty("Not enrolled", "This person is not enrolled in the course any more, so that there is no progress to show.", h("a", { class: "button primary", href: isAdmin ? "/admin/enrolments" : pathTo.students(courseId) }, isAdmin ? "Enrolments" : "Students of the course"))];
	}
	const { student, progress: { completedLectures, totalLectures }, chapters, certificate } = answer;
	heading = student.name;
	return [...head(h("span", { class: "person" }, avatar(student, "large"), h("bdi", {}, student.name)), `In the course “${course.courseTitle}”.`),
		h("div", { class: "stack loose" },
			figures([
				{ label: "Enrolled", value: day(answer.enrolledAt) },
				{ label: "Last seen", value: answer.lastActiveAt ? ago(answer.lastActiveAt) : "–" },
				{ label: "Time spent", value: duration(answer.secondsSpent / 60) },
				{ label: "Certificate", value: certificate ? day(certificate.issuedAt) : "–", note: certificate ? "issued" : "none yet" },
			]),
			progress(completedLectures, totalLectures, "Lectures done"),
			chapters.map((chapter) => chapterPart(courseId, student, chapter)),
			answer.assignments.length > 0 && h("article", { class: "card pad stack" }, h("h2", {}, "Assignments"), h("ul", { class: "plain-list stack tight" }, answer.assignments.map(assignmentRow))))];
}

/** What is known of a student, or null if there is no enrolment. @param {string} courseId @param {string} userId @param {AbortSignal} signal */
async function read(courseId, userId, signal) {
	try {
		return await call("GET /api/educator/courses/{courseId}/students/{userId}", { path: { courseId, userId }, signal });
	} catch (error) {
		if (error instanceof ApiError && error.status === 404 && error.message === "Enrollment not found") return null;
		throw error;
	}
}

/** @param {Answer["assignments"][number]} assignment */
function assignmentRow({ title, status, points, total, isLate, submittedAt }) {
	const [word, badge] = status === null ? ["Not submitted", ""] : statuses[/** @type {keyof typeof statuses} */ (status)];
	return h("li", { class: "row spread student-work" }, h("bdi", { class: "grow" }, title),
		h("span", { class: "row" }, submittedAt !== null && h("span", { class: "muted small" }, ago(submittedAt)), points !== null && h("strong", { class: "number" }, `${number(points)} of ${number(total)}`),
			isLate && h("span", { class: "badge warn" }, "Late"), h("span", { class: `badge ${badge}` }, word)));
}

/** @param {string} courseId @param {Answer["student"]} student @param {Answer["chapters"][number]} chapter */
const chapterPart = (courseId, student, { chapterId, chapterTitle, lectures, quiz }) => h("article", { class: "card pad stack" }, h("h2", {}, h("bdi", {}, chapterTitle)),
	h("ul", { class: "plain-list stack tight" }, lectures.map(({ lectureTitle, isCompleted, position }) => h("li", { class: "row spread" }, h("bdi", { class: "grow" }, lectureTitle),
		isCompleted ? h("span", { class: "badge good" }, "Done") : position > 0 ? h("span", { class: "badge" }, `Stopped at ${clock(position)}`) : h("span", { class: "muted small" }, "Not done")))),
	h("p", { class: "row spread" }, h("a", { href: pathTo.quizResults(courseId, chapterId) }, "Quiz"), quiz && quiz.lastAt !== null && quiz.bestPercentage !== null
		? h("span", { class: "row" }, h("span", { class: "muted small" }, `${count(quiz.attempts, "attempt")}, the last ${ago(quiz.lastAt)}`), h("strong", { class: "number" }, `best ${number(quiz.bestPercentage)} %`), h("span", { class: `badge ${quiz.passed ? "good" : "bad"}` }, quiz.passed ? "Passed" : "Not passed"))
		: h("span", { class: "muted small" }, "Not taken")),
	quiz && quizOfStudent({ courseId, chapterId, student, quiz }));
