// A user as administrators see them: the account, the application, and the last enrolments, purchases and
// decisions that concern the user. Deleted users have a page too.
import { h } from "../dom.js";
import { ApiError, allCourses, call } from "../api.js";
import { count, day, moneyIn, time } from "../format.js";
import { pathTo } from "../paths.js";
import { avatar } from "../components/card.js";
import { decisionItem, decisionList } from "../components/decision.js";
import { enrolmentState } from "../components/enrolment.js";
import { purchaseStatus } from "../components/purchase-status.js";
import { roleBadge } from "../components/role.js";
import { bundleBadge } from "../components/sold-bundle.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/admin/users/{userId}">} Answer */

/** How many rows of each list the answer has at most. */
const most = 20;

let heading = "User";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { userId }, signal }) {
	heading = "User";
	const [answer, courses] = await Promise.all([call("GET /api/admin/users/{userId}", { path: { userId }, signal }).catch(nullIfUnknown), allCourses()]);
	if (!answer) return [...adminHead("User", "One account of the school."), empty("There is no such user", "The link may be wrong. Look for the person by name or e-mail address.", h("a", { class: "button primary", href: "/admin/users" }, "See all users"))];
	const { user } = answer, isDeleted = user.email === "" && user.name === "Deleted user";
	heading = user.name;
	return [...adminHead(h("span", { class: "person" }, avatar(user, "large"), h("bdi", {}, user.name)), isDeleted ? "This account was deleted. What was bought and decided is kept." : "The account, and what was bought and decided."),
		h("div", {}, account(answer, isDeleted), application(answer), enrolments(answer), purchases(answer), decisions(answer, new Set(courses.map((course) => course._id))))];
}

/** @param {unknown} error */
function nullIfUnknown(error) {
	if (error instanceof ApiError && error.status === 404) return null;
	throw error;
}

/** @param {Answer} answer @param {boolean} isDeleted */
function account({ user, role }, isDeleted) {
	/** @type {[string, import("../dom.js").Child][]} */
	const facts = [
		["Role", !isDeleted && roleBadge(role)], ["E-mail", user.email && h("a", { href: `mailto:${user.email}` }, h("bdi", {}, user.email))], ["Joined", h("time", { dateTime: user.createdAt }, day(user.createdAt))],
		["Enrolled in", count(user.enrolledCount, "course")], ["Teaches", user.coursesCreated > 0 && count(user.coursesCreated, "course")], ["Id", h("code", {}, user._id)],
	];
	return h("section", { class: "card pad stack" }, h("h2", {}, "Account"), h("dl", { class: "bill" }, facts.filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}

/** @type {Record<"pending" | "approved" | "rejected", [text: string, kind: string]>} */
const applicationStatuses = { pending: ["Waits for a decision", "warn"], approved: ["Approved", "good"], rejected: ["Rejected", ""] };

/** @param {Answer} answer */
function application({ application: made }) {
	if (!made) return null;
	const [text, kind] = applicationStatuses[made.status];
	return h("section", { class: "card pad stack" }, h("h2", {}, "Application to teach"),
		h("p", { class: "row" }, h("span", { class: `badge ${kind}` }, text), made.createdAt && h("span", { class: "muted small" }, `applied ${day(made.createdAt)}`)),
		h("p", {}, h("bdi", {}, made.professionalTitle)),
		made.status === "rejected" && made.rejectionReason && h("p", { class: "preserve measure" }, h("span", { class: "muted" }, "Reason: "), h("bdi", {}, made.rejectionReason)),
		h("p", {}, h("a", { href: `/admin/applications?status=${made.status}` }, made.status === "pending" ? "Decide on the application" : "See the application")));
}

/**
 * A list with a heading, and a link to the page that has all rows. Without a row it says what to do.
 * @template T
 * @param {string} name @param {string} href @param {T[]} rows @param {(row: T) => HTMLElement} item @param {{nothing: string, note?: string, list?: string}} texts
 */
function part(name, href, rows, item, { nothing, note = "", list = "card list" }) {
	return h("section", { class: "stack" }, h("div", { class: "row spread" }, h("h2", {}, name), rows.length > 0 && h("a", { href }, `Show all ${name.toLowerCase()}`)),
		rows.length === most && h("p", { class: "muted small" }, `The last ${most}.`), note && h("p", {}, note),
		rows.length > 0 ? h("ul", { class: list }, rows.map(item)) : h("p", { class: "muted" }, nothing));
}

/** @param {Answer} answer */
const enrolments = ({ user, enrollments }) => part("Enrolments", pathTo.enrolments({ userId: user._id }), enrollments, (row) =>
	h("li", { class: "stack tight" }, h("p", {}, row.endedAt ? h("bdi", {}, row.courseTitle) : h("a", { href: pathTo.student(row.courseId, user._id) }, h("bdi", {}, row.courseTitle))), enrolmentState(row),
		row.reason && h("p", { class: "muted small preserve" }, h("bdi", {}, row.reason))), { nothing: "Never enrolled in a course. To enrol the person by hand, open Enrolments above." });

/** @param {Answer} answer */
const purchases = ({ user, purchases: rows }) => part("Purchases", pathTo.purchases({ userId: user._id }), rows, (row) =>
	h("li", { class: "row spread" }, h("span", { class: "row" }, h("a", { href: pathTo.purchase(row._id) }, h("bdi", {}, row.courseId.courseTitle)), bundleBadge(row), purchaseStatus(row), h("time", { class: "muted small", dateTime: row.createdAt }, time(row.createdAt))),
		h("span", { class: "row number" }, row.refundedAmount > 0 && h("span", { class: "muted small" }, `${moneyIn(row.refundedAmount, row.currency)} refunded`), h("strong", {}, moneyIn(row.amount, row.currency)))),
{ note: paidText(rows), nothing: "Nothing was ordered. An order appears here as soon as it is opened." });

/** What was paid for these purchases less what was refunded, in each currency. @param {Answer["purchases"]} rows */
function paidText(rows) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { status, amount, refundedAmount, currency } of rows) if (status === "completed" || status === "refunded") sums.set(currency, (sums.get(currency) ?? 0) + amount - refundedAmount);
	const texts = [...sums].map(([currency, sum]) => moneyIn(Math.round(sum * 1000) / 1000, currency));
	return texts.length > 0 ? `Paid${rows.length === most ? " for these" : ""}, less refunds: ${texts.join(", ")}` : "";
}

/** @param {Answer} answer @param {Set<string>} published */
const decisions = ({ user, decisions: rows }, published) => part("Decisions", pathTo.decisions({ userId: user._id }), rows, (row) => decisionItem(row, published),
	{ list: decisionList, nothing: "Nothing was decided about this person. A refund, an enrolment by hand and a removal appear here." });
