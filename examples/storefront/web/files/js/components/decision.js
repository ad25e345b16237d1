// A decision of the staff: what was decided, about whom, by whom, when and why, with links to what it is about.
import { h } from "../dom.js";
import { time } from "../format.js";
import { pathTo } from "../paths.js";
import { userLink } from "./user-link.js";

/** @typedef {import("../types").Answer<"GET /api/admin/decisions">["decisions"][number]} Decision */

/** Each kind in words, with the kind of its badge. @type {Record<Decision["kind"], [text: string, badge: string]>} */
const kinds = {
	"refund.started": ["Refund started", "accent"], "sale.recorded": ["Sale recorded", "good"],
	"enrollment.granted": ["Enrolled by hand", "good"], "enrollment.changed": ["Access changed", ""], "enrollment.ended": ["Enrolment ended", "warn"],
	"application.approved": ["Application approved", "good"], "application.rejected": ["Application rejected", "warn"], "admin.made": ["Made an administrator", "accent"],
	"report.dismissed": ["Report dismissed", ""], "report.removed": ["Reported text removed", "bad"],
	"attempts.changed": ["Extra attempts at a quiz changed", ""], "post.removed": ["Post removed", "bad"], "reply.removed": ["Reply removed", "bad"],
};

/** A list of decisions is an element of this class. */
export const decisionList = "card list";

/**
 * An item of such a list.
 * @param {Decision} decision @param {Set<string>} published the ids of the courses that have a page
 */
export function decisionItem(decision, published) {
	const { kind, userId, userName, courseId, courseTitle, reason, createdAt } = decision, [text, badge] = kinds[kind], links = linksOf(decision);
	return h("li", { class: "stack tight" },
		h("p", { class: "row" }, h("span", { class: `badge ${badge}` }, text), h("time", { class: "muted small", dateTime: createdAt }, time(createdAt))),
		h("p", {}, userName === "" ? "About a user who is not known" : ["About ", userLink(userId, userName)].flat(), courseId && [", in ", courseName(courseId, courseTitle ?? "a course", published)].flat()),
		reason && h("p", { class: "preserve measure" }, h("span", { class: "muted" }, "Reason: "), h("bdi", {}, reason)),
		h("p", { class: "row small" }, h("span", { class: "muted" }, "Decided by ", actor(decision)), links.map(([href, label]) => h("a", { href }, label))));
}

/** @param {string} courseId @param {string} title @param {Set<string>} published */
const courseName = (courseId, title, published) => (published.has(courseId) ? h("a", { href: pathTo.course(courseId) }, h("bdi", {}, title)) : h("bdi", {}, title));

/** Who has decided. @param {Decision} decision */
function actor({ actorId, actorName }) {
	if (actorId === "") return "a command on the server";
	return actorId.startsWith("service:") ? h("span", {}, "the service ", h("bdi", {}, actorName)) : userLink(actorId, actorName);
}

/** Where an administrator reads on. What was removed has no link. @param {Decision} decision @returns {[href: string, text: string][]} */
function linksOf({ kind, userId, courseId, chapterId, purchaseId, applicationId, postId, replyId, reportId }) {
	/** @type {[href: string, text: string][]} */
	const links = [];
	const postStays = kind === "report.dismissed" || Boolean(replyId);
	if (purchaseId) links.push([pathTo.purchase(purchaseId), "Open the purchase"]);
	if (kind.startsWith("enrollment.") && userId) links.push([pathTo.enrolments({ userId }), "See the enrolments"]);
	if (applicationId) links.push([`/admin/applications?status=${kind === "application.approved" ? "approved" : "rejected"}`, "See the applications"]);
	if (chapterId && courseId) links.push([pathTo.quizResults(courseId, chapterId), "See the results of the quiz"]);
	if (postId && postStays) links.push([pathTo.post(postId), "Open the post"]);
	if (reportId) links.push([`/admin/reports?status=${kind === "report.dismissed" ? "dismissed" : "removed"}`, "See the reports"]);
	return links;
}
