// What the student has bought.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { count, day, moneyIn } from "../format.js";
import { learningHead, toCatalogue } from "../components/learning-head.js";
import { purchaseStatus } from "../components/purchase-status.js";
import { empty } from "../components/states.js";
import { checkoutOf, itemOf } from "../offer.js";

/** @typedef {import("../types").Answer<"GET /api/user/purchases">["purchases"][number]} Purchase */

export const title = "My purchases";

export const page = () => [
	...learningHead("My purchases", "What you bought, the newest first."),
	load(() => call("GET /api/user/purchases"), ({ purchases }) => (purchases.length === 0 ? nothing() : list(purchases))),
];

const nothing = () => empty("Nothing bought yet", "Courses and bundles that you buy appear here, and free ones that you take.", toCatalogue());

/** @param {Purchase[]} purchases */
const list = (purchases) => h("section", {},
	h("div", { class: "section-head" }, h("h2", {}, "Purchases"), h("p", { class: "muted small" }, count(purchases.length, "purchase"))),
	h("ul", { class: "card list" }, purchases.map((purchase) => h("li", { class: "row spread" },
		h("div", { class: "attempt" }, h("h3", {}, h("bdi", {}, purchase.title)), h("p", { class: "muted small" }, purchase.bundleId && "Bundle\u00a0· ", h("time", { dateTime: purchase.createdAt }, day(purchase.createdAt)), refunded(purchase)), papersOf(purchase)),
		h("span", { class: "row mark" }, purchase.status === "pending" && toCheckout(purchase), h("strong", { class: "number" }, price(purchase)), purchaseStatus(purchase))))));

/** @param {Purchase} purchase */
const price = ({ amount, currency }) => (amount === 0 ? "Free" : moneyIn(amount, currency));

/** @param {Purchase} purchase */
const refunded = ({ refundedAmount, currency }) => refundedAmount > 0 && ["\u00a0· ", `${moneyIn(refundedAmount, currency)} refunded`];

/** The receipt and the credit notes, each as a PDF. Their links work for some minutes. @param {Purchase} purchase */
function papersOf({ receipt, creditNotes, title }) {
	const papers = [...(receipt ? [{ ...receipt, what: "Receipt" }] : []), ...creditNotes.map((note) => ({ ...note, what: note.amount < 0 ? "Reversal" : "Credit note" }))];
	if (papers.length === 0) return null;
	return h("ul", { class: "row small" }, papers.map(({ what, number, url }) => h("li", {}, url === ""
		? `${what} ${number}`
		: h("a", { href: url, target: "_blank", rel: "noopener noreferrer", "aria-label": `${what} ${number}: ${title}` }, `${what} ${number}`))));
}

/** @param {Purchase} purchase */
const toCheckout = (purchase) => h("a", { class: "button small", href: checkoutOf(itemOf(purchase)), "aria-label": `Go to the checkout: ${purchase.title}` }, "Go to the checkout");
