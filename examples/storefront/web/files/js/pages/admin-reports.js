// What users have reported: read, dismiss, or remove.
import { h } from "../dom.js";
import { ApiError, allCourses, call } from "../api.js";
import { ago, time } from "../format.js";
import { actionButton, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { lengthOf } from "../components/limited.js";
import { pagedList } from "../components/paged-list.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { tabs } from "../components/tabs.js";
import { toast } from "../components/toast.js";
import { pathTo } from "../paths.js";
import { setQuery } from "../router.js";

/** @typedef {import("../types").Answer<"GET /api/admin/reports">["reports"][number]} Report */
/** @typedef {(gone: (report: Report) => boolean) => void} Remove */

export const title = "Reports";

/** The tabs, and what an empty one says. @type {[Report["status"], string, string][]} */
const statuses = [
	["open", "Open", "Every report is decided. New ones appear here."],
	["dismissed", "Dismissed", "Reports that you dismiss appear here."],
	["removed", "Removed", "Reports appear here after what they are about was removed."],
];

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	let shown = "";
	const show = (/** @type {Report["status"]} */ name, /** @type {string} */ nothing) => {
		if (shown !== "") place.rows = 0; // they were those of another tab
		shown = name;
		return reports(name, nothing, signal, place);
	};
	return [...adminHead("Reports", "Posts, replies and reviews that users have reported. Dismiss a report, or remove what it is about."),
		tabs("Reports by status", statuses.map(([name, text, nothing]) => ({ name, text, show: () => show(name, nothing) })),
			{ chosen: query.get("status") ?? "open", onchange: (name) => { query.set("status", name); setQuery(query); } })];
}

/** @param {Report["status"]} status @param {string} nothing @param {AbortSignal} signal @param {import("../place.js").Place} place */
function reports(status, nothing, signal, place) {
	/** The titles of the courses that have a page, by id. @type {Map<string, string>} */
	let courses = new Map();
	return pagedList({
		place,
		read: async (cursor) => {
			const [{ reports: rows, nextCursor }, published] = await Promise.all([call("GET /api/admin/reports", { query: { status, limit: 20, cursor }, signal }), allCourses()]);
			courses = new Map(published.map((course) => [course._id, course.courseTitle]));
			return { rows, nextCursor };
		},
		row: (report, remove) => h("li", {}, card(report, courses, remove)),
		nothing: () => empty(`No ${status} reports`, nothing),
	});
}

/** @param {Report} report */
const kindOf = (report) => (report.reviewId ? "review" : report.replyId === null ? "post" : "reply");

/** What was reported: its beginning, if it is long. @param {Report} report */
const excerpt = ({ excerpt: text }) => h("blockquote", { class: "preserve measure", dir: "auto" }, lengthOf(text) < 200 ? text : text + "…");

/** A name as a link to the users who have it: a report has no ids of users. @param {string} name */
const nameLink = (name) => (name === "Deleted user" ? h("bdi", {}, name) : h("a", { href: `/admin/users?${new URLSearchParams({ q: name })}` }, h("bdi", {}, name)));

/** The course of what was reported. @param {string} courseId @param {Map<string, string>} courses */
const courseOf = (courseId, courses) => (courses.has(courseId) ? ["In the course ", h("a", { href: pathTo.course(courseId) }, h("bdi", {}, courses.get(courseId) ?? ""))] : "In a course that is not published");

/** @param {Report} report @param {Map<string, string>} courses @param {Remove} remove */
function card(report, courses, remove) {
	return h("article", { class: "card pad stack report" },
		h("header", { class: "row" }, h("h2", {}, `Report about a ${kindOf(report)}`), h("time", { class: "muted small", dateTime: report.createdAt, title: time(report.createdAt) }, ago(report.createdAt))),
		h("p", { class: "row small" }, h("span", {}, report.authorName === "" ? "The author is not known" : ["Written by ", nameLink(report.authorName)]), h("span", {}, "Reported by ", nameLink(report.reporterName)), report.courseId && h("span", {}, courseOf(report.courseId, courses))),
		excerpt(report),
		h("p", { class: "preserve measure" }, h("strong", {}, "Reason: "), h("bdi", {}, report.reason)),
		report.status !== "removed" && h("div", { class: "row" }, report.postId && h("a", { class: "button", href: pathTo.post(report.postId) }, "Open the post"),
			report.status === "open" && actionButton("Dismiss", () => dismiss(report, remove), { name: `Dismiss the report: ${report.reason}` }),
			dialogButton(`Remove the ${kindOf(report)}`, () => askToRemove(report, remove), { kind: "danger", name: `Remove the ${kindOf(report)}: ${report.excerpt}` })));
}

/** @param {Report} report @param {Report["status"]} status */
const decide = (report, status) => call("PATCH /api/admin/reports/{reportId}", { path: { reportId: report._id }, body: { status: /** @type {"dismissed" | "removed"} */ (status) } });

/** @param {Report} report @param {Remove} remove */
async function dismiss(report, remove) {
	await orGone(decide(report, "dismissed"));
	remove((other) => other === report);
	toast("The report is dismissed. You find it among the dismissed ones.");
}

/** Removes what was reported, and with it all reports about it. @param {Report} report @param {Remove} remove */
async function askToRemove(report, remove) {
	const what = { post: "The post and all replies to it are", reply: "The reply is", review: "The text of the review and its answer are" }[kindOf(report)];
	const done = await ask({ title: `Remove this ${kindOf(report)}?`, action: `Remove the ${kindOf(report)}`, kind: "danger",
		body: [excerpt(report), h("p", {}, `${what} removed for everyone. This cannot be undone.`)],
		submit: () => orGone(decide(report, "removed")) });
	if (!done) return;
	remove((other) => other.reviewId === report.reviewId && other.postId === report.postId && (report.replyId === null || other.replyId === report.replyId));
	toast(`The ${kindOf(report)} is removed.`);
}

/** Another administrator may have removed it a moment ago; then there is nothing left to decide. @param {Promise<any>} answer */
async function orGone(answer) {
	try {
		await answer;
	} catch (error) {
		if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) throw error;
		toast("It was removed before.");
	}
}
