// One purchase with all that is stored about it: payments, refunds, disputes, papers and history.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { moneyIn, time } from "../format.js";
import { dialogButton } from "../components/button.js";
import { bundleBadge } from "../components/sold-bundle.js";
import { pathTo } from "../paths.js";
import { purchaseStatus, statuses } from "../components/purchase-status.js";
import { adminHead } from "../components/staff-head.js";
import { userLink } from "../components/user-link.js";
import { refresh, setTitle } from "../router.js";
import { leftOf, refund } from "./admin-purchases-refund.js";

/** @typedef {import("../types").Answer<"GET /api/admin/purchases/{purchaseId}">["purchase"]} Purchase */

export const title = "Purchase";

/** @param {import("../router.js").Visit} visit */
export const page = ({ params: { purchaseId }, signal }) => [
	...adminHead("Purchase", "What is stored about it. The payment provider is not asked."),
	load(async () => {
		const { purchase } = await call("GET /api/admin/purchases/{purchaseId}", { path: { purchaseId }, signal });
		return { purchase, buyer: (await call("GET /api/admin/users/{userId}", { path: { userId: purchase.userId }, signal })).user };
	}, ({ purchase, buyer }) => {
		setTitle(`Purchase of ${purchase.courseId.courseTitle}`);
		return [summary(purchase, buyer.name), ...lines(purchase), ...parts(purchase), history(purchase)];
	}),
];

/** @param {string} iso */
const at = (iso) => h("time", { dateTime: iso }, time(iso));

/** @param {Purchase} p @param {string} buyer */
function summary(p, buyer) {
	const money = (/** @type {number} */ amount) => moneyIn(amount, p.currency);
	/** @type {[string, import("../dom.js").Child][]} */
	const facts = [
		["Student", userLink(p.userId, buyer)], ["Status", purchaseStatus(p)], ["Amount", money(p.amount)], ["Refunded", p.refundedAmount > 0 && money(p.refundedAmount)],
		["Refunds without an outcome", p.pendingRefunds > 0 && money(p.pendingRefunds)], ["Price before discounts", p.listPrice > p.amount && money(p.listPrice)],
		["Coupon", p.couponCode && h("code", {}, p.couponCode)], ["Paid at", p.provider || "Free"], ["Order", p.orderId && h("code", {}, p.orderId)],
		["Sold at", p.source && h("bdi", {}, p.source)], ["Reference", p.reference && h("bdi", {}, p.reference)], ["Opened", at(p.createdAt)], ["Completed", p.completedAt && at(p.completedAt)],
	];
	return h("section", { class: "card pad stack" }, h("h2", {}, h("bdi", {}, p.courseId.courseTitle)),
		h("p", { class: "row small" }, bundleBadge(p), h("a", { href: pathTo.purchases({ userId: p.userId }) }, "All purchases of this student"), !p.bundleId && h("a", { href: pathTo.purchases({ courseId: p.courseId._id }) }, "All purchases of this course")),
		h("dl", { class: "bill" }, facts.filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
		leftOf(p) > 0 && h("div", {}, dialogButton("Refund", async () => { if (await refund(p, buyer)) await refresh(); }, { kind: "small", name: `Refund ${p.courseId.courseTitle} to ${buyer}` })));
}

/** The courses of a bundle that the buyer did not have. @param {Purchase} p */
const lines = ({ currency, lines: all = [] }) => [list("Courses", all,
	(line) => [h("a", { href: pathTo.purchases({ courseId: line.courseId._id }) }, h("bdi", {}, line.courseId.courseTitle)), line.hasEnded && h("span", { class: "badge warn" }, "Access ended"), line.refundedAmount > 0 && h("span", { class: "muted small" }, `${moneyIn(line.refundedAmount, currency)} refunded`)], (line) => moneyIn(line.amount, currency))];

/** @param {Purchase} p */
function parts(p) {
	return [
		list("Payments", p.payments, (row) => [h("code", {}, row.paymentId), row.isShared && "completed another purchase before"], (row) => moneyIn(row.amount, row.currency)),
		list("Refunds", p.refunds, (row) => [h("span", { class: "badge" }, row.status), at(row.createdAt), row.reason && h("bdi", {}, row.reason), row.createdBy && h("code", {}, row.createdBy)], (row) => moneyIn(row.amount, row.currency)),
		list("Disputes", p.disputes, (row) => [h("span", { class: "badge" }, row.status), at(row.createdAt), row.reason && h("bdi", {}, row.reason)], (row) => moneyIn(row.amount, row.currency)),
		list("Papers", p.papers, (row) => [paper(row), row.numberedAt && at(row.numberedAt), row.taxName && `${row.taxName} ${row.taxRate} %: ${moneyIn(row.taxAmount, row.currency)}`], (row) => moneyIn(row.amount, row.currency)),
	];
}

/** @type {Record<Purchase["papers"][number]["kind"], string>} */
const papers = { receipt: "Receipt", "credit-note": "Credit note", reversal: "Reversal" };

/** The PDF of a paper, by a link that works for some minutes. @param {Purchase["papers"][number]} paper */
function paper({ kind, number, url }) {
	const name = `${papers[kind]} ${number ?? "(waits for its number)"}`;
	return url ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, name) : name;
}

/**
 * A list with a heading; nothing if it is empty.
 * @template T
 * @param {string} name @param {T[]} rows @param {(row: T) => import("../dom.js").Child[]} text @param {(row: T) => string} amount
 */
function list(name, rows, text, amount) {
	if (rows.length === 0) return null;
	return h("section", {}, h("h2", {}, name), h("ul", { class: "card list" }, rows.map((row) =>
		h("li", { class: "row spread" }, h("span", { class: "row" }, text(row).filter(Boolean).map((part) => h("span", {}, part))), h("strong", { class: "number" }, amount(row))))));
}

/** What each event of the history is called. @type {Record<Purchase["history"][number]["kind"], string>} */
const events = {
	ordered: "Opened", completed: statuses.completed[0], failed: "Given up", returned: "The payment was returned", "refund-started": "Refund started", "refund-processed": "Refunded",
	"refund-failed": "The refund failed", disputed: "Disputed", "dispute-won": "Dispute won", "dispute-lost": "Dispute lost", "paper-numbered": "Paper numbered",
};

/** @param {Purchase} p */
const history = (p) => h("section", {}, h("h2", {}, "History"), h("ol", { class: "card list" }, p.history.map((event) =>
	h("li", { class: "row spread" }, h("span", { class: "row" }, at(event.at), h("span", {}, events[event.kind]), event.id && h("code", {}, event.id), event.by && h("code", {}, event.by)),
		event.amount > 0 && h("span", { class: "number" }, moneyIn(event.amount, p.currency))))));
