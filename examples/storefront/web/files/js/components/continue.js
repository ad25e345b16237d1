// The course that a student used last, on the home page.
import { h } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../paths.js";
import { progress } from "./progress.js";

/** @typedef {import("../types").Answer<"GET /api/user/enrolled-courses">["enrolledCourses"][number]} Course */

/** Reads the course to go on with, if there is one. @returns {Promise<Course | undefined>} */
export async function lastCourse() {
	const { enrolledCourses } = await call("GET /api/user/enrolled-courses", { query: { sort: "recent", limit: 10 } });
	return enrolledCourses.find(({ isExpired, progress: { completedLectures, totalLectures } }) => !isExpired && completedLectures < totalLectures);
}

/** @param {Course} course */
export const continueCard = (course) => h("section", { class: "card pad continue-card" },
	h("div", { class: "stack tight" }, h("h2", {}, "Continue with ", h("bdi", {}, course.title)), progress(course.progress.completedLectures, course.progress.totalLectures, `Lectures done of ${course.title}`)),
	h("a", { class: "button primary", href: pathTo.learn(course._id), "aria-label": `Continue: ${course.title}` }, "Continue"));
