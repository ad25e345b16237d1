// The submissions to the assignments of a course: those that wait first, the oldest at the top.
import { fill, h, load, onValue } from "../dom.js";
import { call } from "../api.js";
import { session } from "../session.js";
import { pathTo, setQuery } from "../router.js";
import { ago, number, time } from "../format.js";
import { statuses } from "../components/assignment.js";
import { avatar } from "../components/card.js";
import { pagedList } from "../components/paged-list.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/educator/submissions">["submissions"][number]} Submission */
/** @typedef {Submission["status"] | ""} Status */

export const title = "Submissions";
const rows = 50;
/** @type {[Status, string][]} */
const choices = [["submitted", "That wait for a grade"], ["graded", "That are graded"], ["returned", "That were returned"], ["", "All"]];

/** @param {import("../router.js").Visit} visit */
export function page({ query, place, signal }) {
	const isAdmin = session.role() === "admin", head = isAdmin ? adminHead : teachHead;
	const read = async () => (isAdmin ? (await call("GET /api/admin/courses", { signal })).courses : (await call("GET /api/educator/courses", { signal })).courses).map(({ _id, courseTitle }) => ({ _id, courseTitle }));
	return [...head("Submissions", "What students have submitted to your assignments."), load(read, (courses) => queue(courses, query, place))];
}

/** @param {{_id: string, courseTitle: string}[]} courses @param {URLSearchParams} query @param {import("../place.js").Place} place */
function queue(courses, query, place) {
	if (courses.length === 0) return empty("No course yet", "Publish a course with an assignment; what students submit comes here.");
	const region = h("div"), courseId = () => query.get("courseId") || courses[0]._id, status = () => /** @type {Status} */ (query.get("status") ?? "submitted");
	const show = () => fill(region, load(() => call("GET /api/educator/courses/{courseId}", { path: { courseId: courseId() } }), ({ course }) => list(course, status(), place)));
	const choose = (/** @type {string} */ name) => onValue((value) => {
		query.set(name, value);
		setQuery(query);
		if (name === "status" && value === "") query.set("status", ""); // all; an address leaves empty values out
		place.rows = 0;
		show();
	});
	show();
	return h("div", { class: "stack" }, h("div", { class: "price-fields" },
		h("label", { class: "field" }, h("span", { class: "field-name" }, "Course"), h("select", { class: "input", onchange: choose("courseId") }, courses.map((course) => h("option", { value: course._id, selected: course._id === courseId() }, course.courseTitle)))),
		h("label", { class: "field" }, h("span", { class: "field-name" }, "Submissions"), h("select", { class: "input", onchange: choose("status") }, choices.map(([value, text]) => h("option", { value, selected: value === status() }, text))))), region);
}

/** @param {import("../types").Answer<"GET /api/educator/courses/{courseId}">["course"]} course @param {Status} status @param {import("../place.js").Place} place */
function list(course, status, place) {
	const titles = new Map(course.courseContent.flatMap(({ chapterContent }) => chapterContent.map(({ lectureId, lectureTitle }) => [lectureId, lectureTitle])));
	return pagedList({
		place, list: "card list",
		read: async (cursor) => {
			const { submissions, nextCursor = null } = await call("GET /api/educator/submissions", { query: { courseId: course._id, status: status || undefined, limit: rows, cursor } });
			return { rows: submissions, nextCursor };
		},
		row: (submission) => row(submission, titles.get(submission.lectureId) ?? "A lecture that was removed"),
		nothing: () => (status === "submitted" ? empty("Nothing waits", "Every submission in this course has its grade.") : empty("No submissions", "There are none of these in this course.")),
	});
}

/** @param {Submission} submission @param {string} lecture */
function row({ _id, student, number: n, submittedAt, isLate, status }, lecture) {
	const [word, badge] = statuses[status];
	return h("li", { class: "row spread" },
		h("span", { class: "person" }, avatar(student), h("span", {}, h("a", { href: pathTo.submission(_id) }, h("bdi", {}, student.name), ": ", h("bdi", {}, lecture)),
			h("span", { class: "muted small choice-text" }, `Attempt ${number(n)}, `, h("time", { dateTime: submittedAt, title: time(submittedAt) }, ago(submittedAt))))),
		h("span", { class: "row" }, isLate && h("span", { class: "badge warn" }, "Late"), h("span", { class: `badge ${badge}` }, word)));
}
