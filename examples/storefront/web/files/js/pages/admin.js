// The overview for administrators: figures, what waits for a decision, revenue by day, and the
// courses with the most students.
import { h, load } from "../dom.js";
import { allCourses, call } from "../api.js";
import { money, number, weekday } from "../format.js";
import { figures } from "../components/figures.js";
import { plot } from "../components/plot.js";
import { adminHead } from "../components/staff-head.js";
import { waitingList } from "../components/waiting.js";

/** @typedef {import("../types").Answer<"GET /api/admin/stats">["stats"]} Stats */
/** @typedef {import("../types").Answer<"GET /api/admin/chart-data">} Charts */

export const title = "Administration";

/** @param {import("../router.js").Visit} visit */
export function page({ signal }) {
	return [...adminHead("Administration", "The school at a glance."),
		load(() => call("GET /api/admin/stats", { signal }), ({ stats }) => overview(stats)),
		load(() => Promise.all([call("GET /api/admin/chart-data", { signal }), allCourses()]), ([charts, courses]) => plots(charts, courses))];
}

/** @param {Stats} stats */
function overview(stats) {
	return [waitingList([
		{ waits: stats.pendingApplications, one: "application to teach", many: "applications to teach", href: "/admin/applications" },
		{ waits: stats.openReports, one: "report to decide", many: "reports to decide", href: "/admin/reports" },
	]), figures([
		{ label: "Revenue", value: money(stats.totalRevenue) },
		{ label: "Enrolments", value: number(stats.totalEnrollments) },
		{ label: "Users", value: number(stats.totalStudents) },
		{ label: "Educators", value: number(stats.totalEducators) },
		{ label: "Courses", value: number(stats.totalCourses) },
	])];
}

/** @param {Charts} charts @param {import("../api.js").Course[]} courses */
function plots({ weeklyRevenue, topCourseData }, courses) {
	return h("div", { class: "plots" },
		h("div", { class: "card pad" }, plot({
			title: "The last seven days", unit: "Revenue", labels: "Day", kind: "columns", format: money,
			rows: weeklyRevenue.map(({ date, revenue }) => ({ label: weekday(date), value: revenue })),
		})),
		h("div", { class: "card pad" }, plot({
			title: "Most popular courses", unit: "Students", labels: "Course", kind: "bars",
			rows: topCourseData.map(({ name, enrollments }) => ({ label: fullTitle(name, courses), value: enrollments })),
		})));
}

/** The title of a course that the API has cut to fit a small plot. @param {string} name @param {import("../api.js").Course[]} courses */
function fullTitle(name, courses) {
	if (!name.endsWith("…")) return name;
	return courses.find((course) => course.courseTitle.startsWith(name.slice(0, -1)))?.courseTitle ?? name;
}
