// All courses of the school, drafts included, with what they earn.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { day, finalPrice, money, number, price } from "../format.js";
import { dataTable } from "../components/data-table.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/admin/courses">["courses"][number]} CourseReport */

export const title = "Courses";

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	return [...adminHead("Courses", "Every course, published or not, with its students and revenue."),
		load(() => call("GET /api/admin/courses", { signal }), ({ courses }) => table(courses, query, place))];
}

/** @param {CourseReport[]} rows @param {URLSearchParams} query @param {import("../place.js").Place} place */
function table(rows, query, place) {
	if (rows.length === 0) return empty("No courses yet", "Approve educators, so that they can publish.", h("a", { class: "button primary", href: "/admin/applications" }, "See the applications"));
	return dataTable({
		label: "Courses", noun: ["course", "courses"], rows, query, place, sort: "-created",
		text: (row) => `${row.courseTitle} ${row.educatorId.name} ${row.educatorId.email}`,
		filter: { label: "Status", name: "status", options: [["", "Published and drafts"], ["published", "Published"], ["draft", "Drafts"]], keep: (row, value) => row.isPublished === (value === "published") },
		columns: [
			{ name: "title", title: "Course", order: (row) => row.courseTitle, cell: courseName },
			{ name: "price", title: "Price", number: true, order: finalPrice, cell: (row) => price(finalPrice(row)) },
			{ name: "students", title: "Students", number: true, down: true, order: (row) => row.enrolledCount, cell: (row) => number(row.enrolledCount) },
			{ name: "purchases", title: "Purchases", number: true, down: true, order: (row) => row.purchases, cell: (row) => number(row.purchases) },
			{ name: "revenue", title: "Revenue", number: true, down: true, order: (row) => row.revenue, cell: (row) => money(row.revenue) },
			{ name: "created", title: "Added", down: true, order: (row) => row.createdAt, cell: (row) => h("time", { dateTime: row.createdAt }, day(row.createdAt)) },
		],
	});
}

/** @param {CourseReport} row */
function courseName(row) {
	const name = h("bdi", {}, row.courseTitle);
	return [row.isPublished ? h("a", { href: pathTo.course(row._id) }, name) : [h("strong", {}, name), " ", h("span", { class: "badge warn" }, "Draft")],
		h("div", { class: "muted small" }, h("bdi", {}, row.educatorId.name), " · ", h("a", { href: pathTo.edit(row._id), "aria-label": `Edit ${row.courseTitle}` }, "Edit"), " · ", h("a", { href: pathTo.submissions(row._id), "aria-label": `Submissions in ${row.courseTitle}` }, "Submissions"))].flat();
}
