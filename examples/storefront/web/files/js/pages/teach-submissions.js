// The submissions to the assignments of a course, or of all courses of an educator: those that wait first,
// the oldest at the top. Administrators search for a course, because there is no queue of all courses.
import { fill, h, load, onValue } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../paths.js";
import { setQuery } from "../router.js";
import { session } from "../session.js";
import { ago, number, time } from "../format.js";
import { statuses } from "../components/assignment.js";
import { avatar } from "../components/card.js";
import { choiceField } from "../components/choice-field.js";
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
	const read = async () => (isAdmin ? (await call("GET /api/admin/courses", { signal })).courses.map(({ _id, courseTitle, educatorId }) => ({ _id, courseTitle, educator: educatorId.name })) : (await call("GET /api/educator/courses", { signal })).courses.map(({ _id, courseTitle }) => ({ _id, courseTitle, educator: "" })));
	return [...head("Submissions", isAdmin ? "What students have submitted to the assignments of a course." : "What students have submitted to your assignments."), load(read, (courses) => queue(courses, isAdmin, query, place))];
}

/** @typedef {{_id: string, courseTitle: string, educator: string}} Course */

/** @param {Course[]} courses @param {boolean} isAdmin @param {URLSearchParams} query @param {import("../place.js").Place} place */
function queue(courses, isAdmin, query, place) {
	if (courses.length === 0) return empty("No course yet", "Publish a course with an assignment; what students submit comes here.");
	const region = h("div"), courseId = () => query.get("courseId") ?? "", status = () => /** @type {Status} */ (query.get("status") ?? "submitted");
	const show = () => fill(region, courseId() === "" ? (isAdmin ? empty("Which course?", "Type a part of its title, or the name of its educator, and choose it.") : listOfAll(courses, status(), place)) : load(() => call("GET /api/educator/courses/{courseId}", { path: { courseId: courseId() } }), ({ course }) => listOf(course, status(), place)));
	const choose = (/** @type {string} */ name) => (/** @type {string} */ value) => {
		query.set(name, value);
		setQuery(query);
		if (name === "status" && value === "") query.set("status", ""); // all; an address leaves empty values out
		place.rows = 0;
		show();
	};
	show();
	return h("div", { class: "stack" }, h("div", { class: "price-fields" }, isAdmin ? searchField(courses, courseId(), choose("courseId"))
		: h("label", { class: "field" }, h("span", { class: "field-name" }, "Course"), h("select", { class: "input", onchange: onValue(choose("courseId")) }, h("option", { value: "" }, "All courses"), courses.map((course) => h("option", { value: course._id, selected: course._id === courseId() }, course.courseTitle)))),
		h("label", { class: "field" }, h("span", { class: "field-name" }, "Submissions"), h("select", { class: "input", onchange: onValue(choose("status")) }, choices.map(([value, text]) => h("option", { value, selected: value === status() }, text))))), region);
}

/** A field that finds a course. Courses with the same title and educator are told apart by their ids. @param {Course[]} courses @param {string} chosen @param {(id: string) => void} onchange */
function searchField(courses, chosen, onchange) {
	const nameOf = (/** @type {Course} */ { courseTitle, educator }) => `${courseTitle} · ${educator}`, names = new Map(courses.map((course) => [nameOf(course), course._id]));
	const choices = courses.map((course) => ({ id: course._id, text: names.get(nameOf(course)) === course._id ? nameOf(course) : `${nameOf(course)} · ${course._id}` }));
	return choiceField("Course", choices, { name: "course", placeholder: "Title or educator", wrong: "Choose one of the courses that are suggested as you type.", required: true, chosen, onchange }).element;
}

/** Each row names the lecture. @param {import("../types").Answer<"GET /api/educator/courses/{courseId}">["course"]} course @param {Status} status @param {import("../place.js").Place} place */
function listOf(course, status, place) {
	const titles = new Map(course.courseContent.flatMap(({ chapterContent }) => chapterContent.map(({ lectureId, lectureTitle }) => [lectureId, lectureTitle])));
	return list(course._id, status, place, ({ lectureId }) => titles.get(lectureId) ?? "A lecture that was removed", "in this course");
}

/** Each row names the course. @param {Course[]} courses @param {Status} status @param {import("../place.js").Place} place */
function listOfAll(courses, status, place) {
	const titles = new Map(courses.map(({ _id, courseTitle }) => [_id, courseTitle]));
	return list("", status, place, ({ courseId }) => titles.get(courseId) ?? "A new course", "in your courses");
}

/** @param {string} courseId @param {Status} status @param {import("../place.js").Place} place @param {(submission: Submission) => string} nameOf @param {string} where */
const list = (courseId, status, place, nameOf, where) => pagedList({
	place, list: "card list",
	read: async (cursor) => {
		const { submissions, nextCursor = null } = await call("GET /api/educator/submissions", { query: { courseId: courseId || undefined, status: status || undefined, limit: rows, cursor } });
		return { rows: submissions, nextCursor };
	},
	row: (submission) => row(submission, nameOf(submission), courseId),
	nothing: () => (status === "submitted" ? empty("Nothing waits", `Every submission ${where} has its grade.`) : empty("No submissions", `There are none of these ${where}.`)),
});

/** The grader comes back to the same list. @param {Submission} submission @param {string} name @param {string} courseId of the list; "" for all courses */
function row({ _id, student, courseId: ofCourse, number: n, submittedAt, isLate, status }, name, courseId) {
	const [word, badge] = statuses[status];
	return h("li", { class: "row spread" },
		h("span", { class: "person" }, avatar(student), h("span", {}, h("a", { href: pathTo.submission(_id, courseId) }, h("bdi", {}, student.name), ": ", h("bdi", {}, name)),
			h("span", { class: "muted small choice-text" }, `Attempt ${number(n)}, `, h("time", { dateTime: submittedAt, title: time(submittedAt) }, ago(submittedAt)), " · ", h("a", { href: pathTo.student(ofCourse, student._id), "aria-label": `Progress of ${student.name}` }, "Progress")))),
		h("span", { class: "row" }, isLate && h("span", { class: "badge warn" }, "Late"), h("span", { class: `badge ${badge}` }, word)));
}
