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

const soon = 14, day = 86_400_000;

/** Says that access ends, if that is soon. @param {string | null} expiresAt */
export function endsSoon(expiresAt) {
	const days = expiresAt ? Math.floor((Date.parse(expiresAt) - Date.now()) / day) : soon + 1;
	if (days > soon || days < 0) return null;
	return h("p", { class: "small" }, days === 0 ? "Your access ends within a day." : `Your access ends in ${days === 1 ? "1 day" : `${days} days`}.`);
}

/** @param {Course} course */
export const continueCard = (course) => h("section", { class: "card pad continue-card" },
	h("div", { class: "stack tight" }, h("h2", {}, "Continue with ", h("bdi", {}, course.title)), progress(course.progress.completedLectures, course.progress.totalLectures, `Lectures done of ${course.title}`), endsSoon(course.expiresAt)),
	h("a", { class: "button primary", href: pathTo.learn(course._id), "aria-label": `Continue: ${course.title}` }, "Continue"));
