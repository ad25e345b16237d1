// What the certificate of a course still asks of a student.
import { h } from "../dom.js";
import { count } from "../format.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/user/certificate/check/{courseId}">["missing"][number]} Missing */

/** Lectures as their number, the rest by name. @param {string} courseId @param {Missing[]} missing */
export function missingList(courseId, missing) {
	const lectures = missing.filter(({ kind }) => kind === "lecture"), others = missing.filter(({ kind }) => kind !== "lecture");
	return h("ul", { class: "plain-list small stack tight missing" },
		lectures.length > 0 && h("li", {}, h("a", { href: pathTo.lecture(courseId, lectures[0].lectureId ?? "") }, count(lectures.length, "lecture")), " not done"),
		others.map(({ kind, chapterId = "", lectureId = "", title }) => h("li", {}, kind === "quiz" ? "Quiz not passed: " : "Assignment not graded: ", h("a", { href: kind === "quiz" ? pathTo.quiz(courseId, chapterId) : pathTo.lecture(courseId, lectureId) }, h("bdi", {}, title)))));
}
