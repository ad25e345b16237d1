// Everyone who is enrolled in a course of the educator, the latest first.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { day } from "../format.js";
import { avatar } from "../components/card.js";
import { dataTable } from "../components/data-table.js";
import { teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/educator/enrolled-students">["enrolledStudents"][number]} Enrolment */

export const title = "Students";

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	return [...teachHead("Students", "Who is enrolled in your courses, and since when."),
		load(() => call("GET /api/educator/enrolled-students", { signal }), ({ enrolledStudents }) => students(enrolledStudents, query, place))];
}

/** @param {Enrolment[]} rows @param {URLSearchParams} query @param {import("../place.js").Place} place */
function students(rows, query, place) {
	if (rows.length === 0) return empty("No students yet", "Students appear here when they enrol in a course of yours.", h("a", { class: "button primary", href: "/teach/new" }, "Publish a course"));
	return dataTable({
		label: "Students", noun: ["enrolment", "enrolments"], rows, query, place, sort: "-since",
		text: (row) => `${row.student.name} ${row.courseTitle}`,
		columns: [
			{ name: "student", title: "Student", order: (row) => row.student.name, cell: (row) => h("span", { class: "person" }, avatar(row.student), h("bdi", {}, row.student.name)) },
			{ name: "course", title: "Course", order: (row) => row.courseTitle, cell: (row) => h("bdi", {}, row.courseTitle) },
			{ name: "since", title: "Enrolled", down: true, order: (row) => row.purchaseDate, cell: (row) => h("time", { dateTime: row.purchaseDate }, day(row.purchaseDate)) },
		],
	});
}
