// What a notification says, and the page that it leads to.
import { h } from "../dom.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/user/notifications">["notifications"][number]} Notification */
/**
 * text names the title of what it is about by t, its course by c and who did it by a.
 * @typedef {{name: string, text: (part: {t: Node, c: Node, a: Node, n: Notification}) => (Node | string)[], path: (n: Notification) => string}} Kind
 */

const course = (/** @type {Notification} */ { courseId = "" }) => pathTo.course(courseId);
const lecture = (/** @type {Notification} */ { courseId = "", lectureId = "" }) => pathTo.lecture(courseId, lectureId);
const post = (/** @type {Notification} */ { postId = "" }) => pathTo.post(postId);
const certificates = () => "/learn/certificates";

/** The kinds of notifications, by the word of the API. name is what the settings call it. @type {Record<string, Kind>} */
const ofEverybody = {
	"reply.created": { name: "Replies to my posts", text: ({ a, t }) => [a, " has replied to “", t, "”"], path: post },
	"reply.accepted": { name: "My replies that are accepted", text: ({ t }) => ["Your reply to “", t, "” is accepted"], path: post },
	"announcement": { name: "Announcements in my courses", text: ({ t, c }) => ["Announcement in ", c, ": ", t], path: ({ courseId = "" }) => pathTo.announcements(courseId) },
	"assignment.due": { name: "Assignments that are due soon", text: ({ t, c }) => ["“", t, "” in ", c, " is due soon"], path: lecture },
	"assignment.graded": { name: "Grades of my work", text: ({ t, c }) => ["Your work “", t, "” in ", c, " is graded"], path: lecture },
	"assignment.returned": { name: "Work that comes back", text: ({ t, c }) => ["Your work “", t, "” in ", c, " came back: look at it and submit it again"], path: lecture },
	"quiz.remarked": { name: "Quizzes that are marked anew", text: ({ t, c }) => ["The quiz “", t, "” in ", c, " is marked anew, and your percentage has changed"], path: () => "/learn/results" },
	"review.answered": { name: "Answers to my reviews", text: ({ a, c }) => [a, " has answered your review of ", c], path: course },
	"certificate.issued": { name: "My certificates", text: ({ c }) => ["Your certificate for ", c, " is here"], path: certificates },
	"certificate.revoked": { name: "Certificates that are revoked", text: ({ c }) => ["Your certificate for ", c, " is revoked"], path: certificates },
	"enrollment.granted": { name: "Courses that I am given", text: ({ c }) => ["You have access to ", c, " now"], path: ({ courseId = "" }) => pathTo.learn(courseId) },
	"enrollment.expiring": { name: "Access that ends soon", text: ({ c }) => ["Your access to ", c, " ends within seven days"], path: course },
	"purchase.refunded": { name: "Refunds", text: ({ c }) => ["Your purchase of ", c, " is refunded"], path: () => "/learn/purchases" },
	"application.approved": { name: "My application to teach", text: () => ["Your application to teach is approved"], path: () => "/teach" },
	"application.rejected": { name: "My application to teach, if it is rejected", text: () => ["Your application to teach is rejected"], path: () => "/teach/apply" },
	"report.decided": { name: "Decisions on what I have reported", text: ({ n }) => [`What you have reported is ${n.title === "removed" ? "removed" : "looked at and stays"}`], path: () => "/community" },
};

/** Those that only who teaches gets. @type {Record<string, Kind>} */
const ofEducators = {
	"question.created": { name: "Questions at my courses", text: ({ a, t, c }) => [a, " asks in ", c, ": ", t], path: post },
	"assignment.submitted": { name: "Work that waits for a grade", text: ({ a, t, c }) => [a, " has submitted “", t, "” in ", c], path: ({ submissionId = "" }) => pathTo.submission(submissionId) },
	"review.created": { name: "Reviews of my courses", text: ({ a, c }) => [a, " has reviewed ", c], path: course },
};

/** The kinds that a person can get, with their names. @param {boolean} teaches @returns {[kind: string, name: string][]} */
export const kindsOf = (teaches) => Object.entries({ ...ofEverybody, ...(teaches ? ofEducators : {}) }).map(([kind, { name }]) => [kind, name]);

/** The words of a notification and where it leads; null for a kind that this storefront does not know. @param {Notification} n */
export function worded(n) {
	const kind = ofEverybody[n.kind] ?? ofEducators[n.kind];
	const name = (/** @type {string | undefined} */ text, /** @type {string} */ other) => h("bdi", {}, text || other);
	return kind ? { text: kind.text({ t: name(n.title, "something"), c: name(n.courseTitle, "a course"), a: name(n.actorName, "Somebody"), n }), path: kind.path(n) } : null;
}
