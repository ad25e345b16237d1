// The overview for educators: figures, own courses with their drafts, the latest enrolments.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { count, day, money, number } from "../format.js";
import { avatar, priceTag, thumbnail } from "../components/card.js";
import { figures } from "../components/figures.js";
import { teachHead } from "../components/staff-head.js";
import { waitingList } from "../components/waiting.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses">["courses"][number]} OwnCourse */
/** @typedef {import("../types").Answer<"GET /api/educator/dashboard">["dashboardData"]} Dashboard */

export const title = "Teaching";

const latest = 6;

/** @param {import("../router.js").Visit} visit */
export function page({ signal }) {
	const read = () => Promise.all([call("GET /api/educator/dashboard", { signal }), call("GET /api/educator/courses", { signal })]);
	return [...teachHead("Teaching", "Your courses and how they are doing."),
		load(read, ([{ dashboardData }, { courses }]) => overview(dashboardData, courses))];
}

/** @param {Dashboard} dashboard @param {OwnCourse[]} courses */
function overview(dashboard, courses) {
	if (courses.length === 0) return empty("No course yet", "Publish your first one: a title, a picture and one lecture are enough to begin.", courseLinks("primary"));
	const drafts = courses.filter((course) => !course.isPublished).length;
	const students = courses.reduce((sum, course) => sum + course.enrolledStudentsCount, 0);
	const { submissions, questions, reviews } = dashboard.waiting;
	return [
		waitingList([
			{ waits: submissions, one: "submission to grade", many: "submissions to grade", href: pathTo.submissions() },
			{ waits: questions, one: "question to answer", many: "questions to answer", href: "/teach/questions" },
			{ waits: reviews, one: "review without an answer", many: "reviews without an answer", href: "/teach/reviews" },
		]),
		figures([
			{ label: "Earnings", value: money(dashboard.totalEarnings) },
			{ label: "Courses", value: number(dashboard.totalCourses), note: drafts ? `${count(drafts, "draft")} among them` : "" },
			{ label: "Enrolments", value: number(students) },
		]),
		h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "Your courses"), courseLinks("")),
			h("ul", { class: "card list" }, newestFirst(courses).map(courseRow))),
		h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "Latest enrolments"), h("a", { href: "/teach/students" }, "All students")), enrolments(dashboard, courses)),
	];
}

/** @param {string} kind */
const courseLinks = (kind) => h("div", { class: "row" }, h("a", { class: "button", href: "/teach/import" }, "Import a course"), h("a", { class: `button ${kind}`, href: "/teach/new" }, "Publish a course"));

/** @param {OwnCourse[]} courses */
const newestFirst = (courses) => courses.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));

/** A course with its picture; a draft has no page that others can open. @param {OwnCourse} course */
function courseRow(course) {
	const name = h("bdi", {}, course.courseTitle);
	return h("li", { class: "own-course" }, thumbnail(course),
		h("div", { class: "own-course-text" },
			h("h3", {}, course.isPublished ? h("a", { href: pathTo.course(course._id) }, name) : name),
			h("p", { class: "muted small" }, `${count(course.enrolledStudentsCount, "student")} · added ${day(course.createdAt)}`)),
		h("div", { class: "own-course-end row" }, course.isPublished ? priceTag(course) : h("span", { class: "badge warn" }, course.enrolledStudentsCount > 0 ? "Not published" : "Draft: only you see it"),
			h("a", { class: "button small", href: pathTo.edit(course._id), "aria-label": `Edit ${course.courseTitle}` }, "Edit")));
}

/** A row leads to the student in the course, unless several courses have its title. @param {Dashboard} dashboard @param {OwnCourse[]} courses */
function enrolments({ enrolledStudentsData: all }, courses) {
	if (all.length === 0) return h("p", { class: "muted" }, "No student is enrolled yet. Tell people about your course: share the address of its page.");
	const hrefOf = (/** @type {Dashboard["enrolledStudentsData"][number]} */ { student, courseTitle }) => {
		const [course, another] = courses.filter((each) => each.courseTitle === courseTitle);
		return course && !another ? pathTo.student(course._id, student._id) : "/teach/students";
	};
	return h("ul", { class: "card list" }, all.slice(0, latest).map((row) => h("li", { class: "person" }, avatar(row.student),
		h("div", {}, h("strong", {}, h("a", { href: hrefOf(row) }, h("bdi", {}, row.student.name))), h("div", { class: "muted small" }, h("bdi", {}, row.courseTitle))))));
}
