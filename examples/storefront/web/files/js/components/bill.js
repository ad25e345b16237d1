// What a course costs at the checkout: its price, what reduces it, and the total.
import { h } from "../dom.js";
import { finalPrice, money, moneyIn, number, price } from "../format.js";
import { ownCurrency } from "./currency-choice.js";
import { reduction } from "./reduction.js";

/** @typedef {import("./outline.js").CourseDetail} CourseDetail */
/** @typedef {import("./coupon-box.js").Quote} Quote */

/** What is to be paid, as a text. @param {CourseDetail} course @param {Quote | null} quote */
export const totalOf = (course, quote) => amountIn(quote)(quote?.total ?? finalPrice(course));

/** How amounts of a quote are written. @param {Quote | null} quote */
const amountIn = (quote) => (/** @type {number} */ amount) => (quote && quote.currency !== ownCurrency ? moneyIn(amount, quote.currency) : money(amount));

/** @param {CourseDetail} course @param {Quote | null} quote */
export function bill(course, quote) {
	const line = (/** @type {string | Node} */ what, /** @type {string} */ amount) => h("div", {}, h("dt", {}, what), h("dd", {}, amount));
	const lines = quote && quote.currency !== ownCurrency ? abroad(course, quote, line) : atHome(course, quote, line);
	const total = quote?.total ?? finalPrice(course);
	return h("dl", { class: "bill number" }, lines, h("div", { class: "total" }, h("dt", {}, "Total"), h("dd", {}, total === 0 ? price(0) : totalOf(course, quote))));
}

/** @param {CourseDetail} course @param {Quote | null} quote @param {(what: string, amount: string) => Node} line */
function atHome(course, quote, line) {
	const own = finalPrice(course), total = quote?.total ?? own;
	return [total < course.coursePrice && line("Price", money(course.coursePrice)),
		own < course.coursePrice && line(`Discount of ${number(course.discount)} %`, `−${money(course.coursePrice - own)}`),
		quote?.coupon && line(`Coupon ${quote.coupon.code}, ${reduction(quote.coupon)}`, `−${money(own - total)}`)];
}

/** In another currency the server alone rounds, so that discount and coupon are one line. @param {CourseDetail} course @param {Quote} quote @param {(what: string, amount: string) => Node} line */
function abroad({ discount }, quote, line) {
	const reduced = [discount > 0 && `Discount of ${number(discount)} %`, quote.coupon && `Coupon ${quote.coupon.code}, ${reduction(quote.coupon)}`].filter(Boolean).join("; ");
	return quote.discount > 0 ? [line("Price", moneyIn(quote.price, quote.currency)), line(reduced, `−${moneyIn(quote.discount, quote.currency)}`)] : [];
}
