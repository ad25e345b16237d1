// The courses of the student, with how much of each is done.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { count, day, duration } from "../format.js";
import { thumbnail } from "../components/card.js";
import { due } from "../components/due.js";
import { learningHead, toCatalogue } from "../components/learning-head.js";
import { progress } from "../components/progress.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/user/enrolled-courses">["enrolledCourses"][number]} Course */

export const title = "My courses";

export const page = () => [
	...learningHead("My courses", "Go on where you stopped."),
	due(),
	load(read, (all) => (all.length === 0 ? nothing() : [part("In progress", all.filter((course) => !isComplete(course))), part("Completed", all.filter(isComplete))])),
];

const nothing = () => empty("No courses yet", "Choose a course: some are free, and each has lectures to try before you buy.", toCatalogue());

/** The courses, the one that was used last first. @returns {Promise<Course[]>} */
const read = async () => (await call("GET /api/user/enrolled-courses", { query: { sort: "recent" } })).enrolledCourses;

/** @param {Course} course */
const isComplete = ({ progress: { completedLectures, totalLectures } }) => totalLectures > 0 && completedLectures === totalLectures;

/** @param {string} heading @param {Course[]} all */
const part = (heading, all) => all.length > 0 && h("section", {},
	h("div", { class: "section-head" }, h("h2", {}, heading), h("p", { class: "muted small" }, count(all.length, "course"))),
	h("div", { class: "stack" }, all.map(card)));

/** @param {Course} course */
function card(course) {
	const completed = isComplete(course), done = course.progress.completedLectures;
	const action = completed ? "Look again" : done > 0 || course.lastLectureId ? "Continue" : "Start";
	return h("article", { class: "card learning-card" },
		thumbnail({ courseThumbnail: course.thumbnail }),
		h("div", { class: "stack tight" },
			h("h3", {}, h("bdi", {}, course.title)),
			h("p", { class: "muted small" }, `${count(course.totalLectures, "lecture")}, ${duration(course.totalDurationMinutes)}`),
			course.expiresAt && h("p", { class: "muted small" }, `${course.isExpired ? "Your access has ended on" : "Access until"} ${day(course.expiresAt)}`),
			progress(done, course.totalLectures, `Lectures done of ${course.title}`)),
		course.isExpired ? h("a", { class: "button", href: pathTo.course(course._id), "aria-label": `Buy again: ${course.title}` }, "Buy again") : h("a", { class: `button ${completed ? "" : "primary"}`, href: pathTo.learn(course._id), "aria-label": `${action}: ${course.title}` }, action));
}
