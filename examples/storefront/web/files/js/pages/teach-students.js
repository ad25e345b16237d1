// The students of an educator: of all courses in one list, or of one course in pages, which the server searches and
// sorts. The course and the order are in the address.
import { fill, h, load, onValue } from "../dom.js";
import { call, request } from "../api.js";
import { ago, count, day, number, time } from "../format.js";
import { actionButton } from "../components/button.js";
import { avatar } from "../components/card.js";
import { dataTable } from "../components/data-table.js";
import { readOn } from "../components/read-on.js";
import { saveFile } from "../components/save-file.js";
import { teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";
import { setQuery } from "../router.js";

/** @typedef {import("../types").Answer<"GET /api/educator/enrolled-students">["enrolledStudents"][number]} Enrolment */
/** @typedef {{_id: string, courseTitle: string, isPublished: boolean}} Course */
/** @typedef {import("../components/data-table.js").Column<Enrolment>} Column */

export const title = "Students";
const pageSize = 50;
/** The orders of the server. @type {[value: "" | "recent" | "active", text: string][]} */
const orders = [["", "Oldest enrolment first"], ["recent", "Newest enrolment first"], ["active", "Latest activity first"]];

/** @param {import("../router.js").Visit} visit */
export function page(visit) {
	return [...teachHead("Students", "Who is enrolled in your courses, how far they are, and how long they have access."),
		load(() => call("GET /api/educator/courses", { signal: visit.signal }), ({ courses }) => chooser(courses, visit))];
}

/** @param {Course[]} courses @param {import("../router.js").Visit} visit */
function chooser(courses, visit) {
	const { query, place } = visit, region = h("div"), chosen = () => courses.find(({ _id }) => _id === query.get("courseId"));
	const show = () => { const course = chosen(); fill(region, course ? studentsOf(course, visit) : allStudents(visit)); };
	const choose = (/** @type {string} */ courseId) => {
		query.set("courseId", courseId);
		setQuery(query);
		place.rows = 0;
		show();
	};
	show();
	return h("div", { class: "stack" }, h("div", { class: "row spread" }, h("label", { class: "field" }, h("span", { class: "field-name" }, "Course"),
		h("select", { class: "input", onchange: onValue(choose) }, h("option", { value: "" }, "All courses"), courses.map((course) => h("option", { value: course._id, selected: course === chosen() }, course.courseTitle)))),
	actionButton("Download as a file", () => download(chosen(), visit.signal))), region);
}

/** Saves all students, or those of a course, for a spreadsheet. @param {Course | undefined} course @param {AbortSignal} signal */
async function download(course, signal) {
	const answer = await request("GET", `/api/educator/enrolled-students?format=csv${course ? `&courseId=${encodeURIComponent(course._id)}` : ""}`, { accept: "text/csv", signal });
	await saveFile(answer, course ? `students-${course.courseTitle.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.csv` : "students.csv");
}

/** @param {import("../router.js").Visit} visit */
const allStudents = ({ query, place, signal }) => load(() => call("GET /api/educator/enrolled-students", { signal }), ({ enrolledStudents: rows }) => {
	if (rows.length === 0) return empty("No students yet", "Students appear here when they enrol in a course of yours.", h("a", { class: "button primary", href: "/teach/new" }, "Publish a course"));
	const course = { name: "course", title: "Course", order: (/** @type {Enrolment} */ row) => row.courseTitle, cell: (/** @type {Enrolment} */ row) => h("bdi", {}, row.courseTitle) };
	return dataTable({ label: "Students", noun: ["enrolment", "enrolments"], rows, query, place, sort: "-since", text: (row) => `${row.student.name} ${row.courseTitle}`, columns: [columns[0], course, ...columns.slice(1)] });
});

/** @param {Course} course @param {import("../router.js").Visit} visit */
function studentsOf(course, { query, place, signal }) {
	const find = async (/** @type {string} */ q, /** @type {string | undefined} */ cursor = undefined) => {
		const { enrolledStudents: rows, nextCursor } = await call("GET /api/educator/enrolled-students", { query: { courseId: course._id, q, sort: orderOf(query), limit: pageSize, cursor }, signal });
		return { rows, nextCursor };
	};
	const words = (query.get("q") ?? "").trim();
	return load(() => readOn((cursor) => find(words, cursor), undefined, place.rows), ({ rows, nextCursor }) => dataTable({
		label: "Students", noun: ["student", "students"], rows, nextCursor, query, place, sort: "",
		source: { find, nothing: (sought) => nothing(sought, course), hint: "Name of a student" },
		filter: { label: "Order", name: "order", options: orders },
		columns: columns.map((column) => ({ ...column, order: undefined })), // the server sorts, because the table has only a part
	}));
}

/** The order that the reader has chosen, or undefined. @param {URLSearchParams} query */
const orderOf = (query) => orders.find(([value]) => value === query.get("order"))?.[0] || undefined;

/** What is shown if no student is found. @param {string} words @param {Course} course */
function nothing(words, { _id, isPublished }) {
	if (words !== "") return empty("No student is found", `Nobody in this course has a name with “${words}”. Try the beginning of a first or last name.`);
	return isPublished ? empty("No students in this course yet", "Tell people about it: share the address of its page.", h("a", { class: "button primary", href: pathTo.course(_id) }, "Open its page"))
		: empty("No students in this course yet", "Students can enrol when it is published.", h("a", { class: "button primary", href: pathTo.edit(_id) }, "Edit the course"));
}

/** The share of the lectures that is done. @param {Enrolment} row */
const share = ({ progress: { completedLectures, totalLectures } }) => (totalLectures === 0 ? 0 : completedLectures / totalLectures);

/** @type {Column[]} */
const columns = [
	{ name: "student", title: "Student", order: (row) => row.student.name, cell: ({ student, courseId }) => h("span", { class: "person" }, avatar(student), h("a", { href: pathTo.student(courseId, student._id) }, h("bdi", {}, student.name))) },
	{ name: "progress", title: "Progress", down: true, order: share, cell: ({ progress: { completedLectures, totalLectures } }) => `${number(completedLectures)} of ${count(totalLectures, "lecture")}` },
	{ name: "active", title: "Last active", down: true, order: (row) => row.lastActiveAt ?? "", cell: ({ lastActiveAt }) => (lastActiveAt ? h("time", { dateTime: lastActiveAt, title: time(lastActiveAt) }, ago(lastActiveAt)) : h("span", { class: "muted" }, "Never")) },
	{ name: "access", title: "Access", order: (row) => row.expiresAt ?? "9", cell: access },
	{ name: "since", title: "Enrolled", down: true, order: (row) => row.purchaseDate, cell: (row) => h("time", { dateTime: row.purchaseDate }, day(row.purchaseDate)) },
];

/** @param {Enrolment} row */
function access({ expiresAt, isExpired }) {
	if (expiresAt === null) return h("span", { class: "muted" }, "No end");
	return h("span", { class: isExpired ? "badge warn" : "" }, isExpired ? "Ended " : "Until ", h("time", { dateTime: expiresAt, title: time(expiresAt) }, day(expiresAt)));
}
