// What the staff has decided, about everyone or about one person or course: refunds, enrolments by hand,
// applications, reports and removals.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { decisionItem, decisionList } from "../components/decision.js";
import { pagedList } from "../components/paged-list.js";
import { personCourseFilter } from "../components/person-course-filter.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** What the parts of the page share. @typedef {{people: import("../components/person-field.js").Person[], courses: [id: string, title: string][], published: Set<string>, query: URLSearchParams, signal: AbortSignal, place: import("../place.js").Place}} View */

export const title = "Decisions";

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	return [...adminHead("Decisions", "What administrators, educators and the host have decided, the newest first, with the reasons."),
		load(async () => {
			const [{ users }, { courses }] = await Promise.all([call("GET /api/admin/users", { signal }), call("GET /api/admin/courses", { signal })]);
			const titles = courses.map((course) => /** @type {[string, string]} */ ([course._id, course.courseTitle])).sort(([, a], [, b]) => a.localeCompare(b));
			return { people: users, courses: titles, published: new Set(courses.filter((course) => course.isPublished).map((course) => course._id)), query, signal, place };
		}, show)];
}

/** @param {View} view */
function show(view) {
	const list = h("div", {});
	const draw = () => fill(list, decisions(view));
	const filter = personCourseFilter("Decisions", view, draw);
	draw();
	return h("div", { class: "stack" }, filter.element(), filter.unknown, list);
}

/** @param {View} view */
const decisions = ({ published, query, signal, place }) => pagedList({
	place,
	read: async (cursor) => {
		const { decisions: rows, nextCursor } = await call("GET /api/admin/decisions", { query: { userId: query.get("userId") || undefined, courseId: query.get("courseId") || undefined, limit: 50, cursor }, signal });
		return { rows, nextCursor };
	},
	row: (decision) => decisionItem(decision, published),
	nothing: () => empty("No decisions", query.get("userId") || query.get("courseId") ? "Nothing was decided here. Choose another person or course." : "A refund, an enrolment by hand, a decided application or report, and a removal appear here."),
	list: decisionList,
});
