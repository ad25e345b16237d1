// The courses of the student, with how much of each is done.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../router.js";
import { count, duration } from "../format.js";
import { thumbnail } from "../components/card.js";
import { learningHead, toCatalogue } from "../components/learning-head.js";
import { progress } from "../components/progress.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/user/enrolled-courses">["enrolledCourses"][number]} Course */
/** @typedef {{course: Course, done: number, completed: boolean}} Learning */

export const title = "My courses";

export const page = () => [
	...learningHead("My courses", "Go on where you stopped."),
	load(read, (all) => (all.length === 0 ? nothing() : [part("In progress", all.filter((l) => !l.completed)), part("Completed", all.filter((l) => l.completed))])),
];

const nothing = () => empty("No courses yet", "Choose a course: some are free, and each has lectures to try before you buy.", toCatalogue());

/** The courses, the newest enrolment first, each with its progress. @returns {Promise<Learning[]>} */
async function read() {
	const { enrolledCourses } = await call("GET /api/user/enrolled-courses");
	return Promise.all(enrolledCourses.reverse().map(async (course) => {
		const { progressData } = await call("POST /api/user/get-course-progress", { body: { courseId: course._id } });
		return { course, done: Math.min(progressData?.lectureCompleted.length ?? 0, course.totalLectures), completed: progressData?.completed ?? false };
	}));
}

/** @param {string} heading @param {Learning[]} all */
const part = (heading, all) => all.length > 0 && h("section", {},
	h("div", { class: "section-head" }, h("h2", {}, heading), h("p", { class: "muted small" }, count(all.length, "course"))),
	h("div", { class: "stack" }, all.map(card)));

/** @param {Learning} learning */
function card({ course, done, completed }) {
	const action = completed ? "Look again" : done > 0 ? "Continue" : "Start";
	return h("article", { class: "card learning-card" },
		thumbnail({ courseThumbnail: course.thumbnail }),
		h("div", { class: "stack tight" },
			h("h3", {}, h("bdi", {}, course.title)),
			h("p", { class: "muted small" }, `${count(course.totalLectures, "lecture")}, ${duration(course.totalDurationMinutes)}`),
			progress(done, course.totalLectures, `Lectures done of ${course.title}`)),
		h("a", { class: `button ${completed ? "" : "primary"}`, href: pathTo.learn(course._id), "aria-label": `${action}: ${course.title}` }, action));
}
