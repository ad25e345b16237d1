// The dialog that refunds a purchase: all that is left of it, a part, or courses of a bundle.
import { h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { moneyIn } from "../format.js";
import { ask } from "../components/dialog.js";
import { keepDraft } from "../components/draft.js";
import { allValid, field } from "../components/field.js";
import { limited } from "../components/limited.js";
import { toast } from "../components/toast.js";
import { leftOfLine } from "../components/sold-bundle.js";
import { linesChoice } from "./admin-purchases-refund-lines.js";
import { decimal } from "./teach-new-draft.js";

/** @typedef {Pick<import("./admin-purchases.js").Purchase, "_id" | "status" | "amount" | "refundedAmount" | "currency" | "courseId" | "bundleId">} Purchase */

/** What can still be refunded. @param {Pick<Purchase, "status" | "amount" | "refundedAmount">} purchase */
export const leftOf = ({ status, amount, refundedAmount }) => (status === "completed" ? Math.round((amount - refundedAmount) * 1000) / 1000 : 0);

/** Asks for the amount or the courses and refunds them. Resolves to the purchase after the refund, or null. @param {Purchase} purchase @param {string} buyer @returns {Promise<Pick<Purchase, "status" | "refundedAmount"> | null>} */
export async function refund(purchase, buyer) {
	const lines = purchase.bundleId ? await linesOf(purchase._id) : [];
	const left = leftOf(purchase), text = (/** @type {number} */ amount) => moneyIn(amount, purchase.currency);
	const effect = h("p", { role: "status" });
	const amount = field(`Amount in ${purchase.currency}`, { name: "amount", value: String(left), required: true, inputMode: "decimal", autocomplete: "off", check: (value) => checkAmount(decimal(value), left, text(left)), oninput: () => explainEffect() });
	const reason = limited("Reason", { name: "reason", rows: 3, max: 500, hint: "For your records." });
	const forget = keepDraft(`refund.${purchase._id}`, [reason]);
	const choice = linesChoice(lines, { byAmount: amount.element, text, changed: () => explainEffect() });
	const explainEffect = () => {
		const chosen = choice.lines();
		effect.textContent = chosen ? effectOfLines(chosen, text) : effectOf(decimal(amount.value()), left, text);
	};
	explainEffect();
	/** @type {Pick<Purchase, "status" | "refundedAmount"> | null} */
	let refunded = null;
	const submit = async () => {
		const chosen = choice.lines(), part = chosen ? sumOf(chosen) : decimal(amount.value());
		const body = { amount: chosen || part === left ? undefined : part, courseIds: chosen?.map(({ courseId }) => courseId._id), reason: reason.value() || undefined };
		refunded = (await call("POST /api/admin/purchases/{purchaseId}/refund", { path: { purchaseId: purchase._id }, body }).catch(explainRefusal)).purchase;
		toast(refunded.refundedAmount > purchase.refundedAmount ? `${text(part)} is paid back to ${buyer}.` : "The refund is requested. The gateway has not processed it yet: reload the page in some minutes.");
	};
	await ask({ title: "Refund this purchase?", kind: "danger", action: "Refund", check: () => allValid(choice.lines() ? [reason] : [amount, reason]) && choice.valid(), submit,
		body: h("div", { class: "stack" }, h("p", {}, h("bdi", {}, purchase.courseId.courseTitle), ", bought by ", h("bdi", {}, buyer)), figures(purchase, left, text), lines.length > 0 ? choice.element : amount.element, reason.element, effect) });
	if (refunded) forget();
	return refunded;
}

/** The courses of a purchase of a bundle, with what each has cost. @param {string} purchaseId @returns {Promise<import("../components/sold-bundle.js").Line[]>} */
async function linesOf(purchaseId) {
	const { purchase } = await call("GET /api/admin/purchases/{purchaseId}", { path: { purchaseId } });
	return purchase.lines;
}

/** @param {import("../components/sold-bundle.js").Line[]} lines */
const sumOf = (lines) => Math.round(1000 * lines.reduce((sum, line) => sum + leftOfLine(line), 0)) / 1000;

/** What a refund of courses does besides the payment. @param {import("../components/sold-bundle.js").Line[]} lines @param {(amount: number) => string} text */
const effectOfLines = (lines, text) => (lines.length === 0 ? "" : `${text(sumOf(lines))} is paid back, and the enrolment in ${lines.map(({ courseId }) => courseId.courseTitle).join(", ")} ends. Money that was paid back cannot be taken again.`);

/** @param {Pick<Purchase, "amount" | "refundedAmount">} purchase @param {number} left @param {(amount: number) => string} text */
const figures = ({ amount, refundedAmount }, left, text) => h("dl", { class: "bill number" }, [["Paid", amount], ["Refunded before", refundedAmount], ["Left", left]].map(([what, value]) =>
	h("div", {}, h("dt", {}, what), h("dd", {}, text(Number(value))))));

/** @param {number} amount @param {number} left @param {string} most */
function checkAmount(amount, left, most) {
	if (Number.isNaN(amount) || amount <= 0) return "A number above 0, such as 100 or 49.50.";
	return amount > left ? `At most ${most}, which is what is left.` : "";
}

/** What the refund does besides the payment. @param {number} amount @param {number} left @param {(amount: number) => string} text */
function effectOf(amount, left, text) {
	if (Number.isNaN(amount) || amount <= 0 || amount > left) return "";
	return amount === left ? `${text(amount)} is paid back, which is all that is left, and the enrolment ends. Money that was paid back cannot be taken again.`
		: `${text(amount)} is paid back and ${text(left - amount)} is left. The student stays enrolled. Money that was paid back cannot be taken again.`;
}

/** @param {unknown} error @returns {never} */
function explainRefusal(error) {
	if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) throw new ApiError(409, `${error.message.replace(/\.$/, "")}. It is not known yet whether the money was paid back. Try again with the same amount or courses: it is never paid back twice.`);
	if (error instanceof ApiError && error.status === 409) throw new ApiError(409, `${error.message}. Another administrator may have refunded it meanwhile: close this dialog and reload the page.`);
	throw error;
}
