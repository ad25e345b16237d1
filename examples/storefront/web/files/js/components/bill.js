// What an item costs at the checkout: its price, what reduces it, and the total.
import { h } from "../dom.js";
import { money, moneyIn, number, price } from "../format.js";
import { offerPrice } from "../offer.js";
import { ownCurrency } from "./currency-choice.js";
import { reduction } from "./reduction.js";

/** @typedef {import("../offer.js").Offer} Offer */
/** @typedef {import("./coupon-box.js").Quote} Quote */

/** What is to be paid, as a text. @param {Offer} offer @param {Quote | null} quote */
export const totalOf = (offer, quote) => amountIn(quote)(quote?.total ?? offerPrice(offer));

/** How amounts of a quote are written. @param {Quote | null} quote */
const amountIn = (quote) => (/** @type {number} */ amount) => (quote && quote.currency !== ownCurrency ? moneyIn(amount, quote.currency) : money(amount));

/** @param {Offer} offer @param {Quote | null} quote */
export function bill(offer, quote) {
	const line = (/** @type {string | Node} */ what, /** @type {string} */ amount) => h("div", {}, h("dt", {}, what), h("dd", {}, amount));
	const lines = quote && quote.currency !== ownCurrency ? abroad(offer, quote, line) : atHome(offer, quote, line);
	const total = quote?.total ?? offerPrice(offer);
	return h("dl", { class: "bill number" }, lines, h("div", { class: "total" }, h("dt", {}, "Total"), h("dd", {}, total === 0 ? price(0) : totalOf(offer, quote))));
}

/** @param {Offer} offer @param {Quote | null} quote @param {(what: string, amount: string) => Node} line */
function atHome(offer, quote, line) {
	const own = offerPrice(offer), total = quote?.total ?? own;
	return [total < offer.price && line("Price", money(offer.price)),
		own < offer.price && line(`Discount of ${number(offer.discount)} %`, `−${money(offer.price - own)}`),
		quote?.coupon && line(`Coupon ${quote.coupon.code}, ${reduction(quote.coupon)}`, `−${money(own - total)}`)];
}

/** In another currency the server alone rounds, so that discount and coupon are one line. @param {Offer} offer @param {Quote} quote @param {(what: string, amount: string) => Node} line */
function abroad({ discount }, quote, line) {
	const reduced = [discount > 0 && `Discount of ${number(discount)} %`, quote.coupon && `Coupon ${quote.coupon.code}, ${reduction(quote.coupon)}`].filter(Boolean).join("; ");
	return quote.discount > 0 ? [line("Price", moneyIn(quote.price, quote.currency)), line(reduced, `−${moneyIn(quote.discount, quote.currency)}`)] : [];
}
