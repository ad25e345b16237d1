// The choice of the currency in which an item is paid, if it has prices in several.
import { h, onValue } from "../dom.js";
import { moneyIn } from "../format.js";
import { offerPrice } from "../offer.js";

/** @typedef {import("../offer.js").Offer} Offer */

/** The currency of the platform. */
export const ownCurrency = document.documentElement.dataset.currency || "INR";

/** The currency of a query, or that of the platform if the item is not sold in it. @param {Offer | null} offer @param {string | null} asked */
export const currencyIn = (offer, asked) => offer?.prices.find(({ currency }) => currency === asked)?.currency ?? ownCurrency;

/**
 * The select; null if the item has one price. The prices are before the discount: what is left of
 * them is in the bill, as the server rounds it.
 * @param {Offer} offer @param {string} chosen @param {(currency: string) => void} choose
 */
export function currencyChoice(offer, chosen, choose) {
	if (offer.prices.length === 0 || offerPrice(offer) === 0) return null;
	const prices = [{ currency: ownCurrency, price: offer.price }, ...offer.prices];
	const names = new Intl.DisplayNames(navigator.language, { type: "currency" });
	return h("label", { class: "field" }, h("span", {}, "Currency"), h("select", { class: "input", name: "currency", onchange: onValue(choose) },
		prices.map(({ currency, price }) => h("option", { value: currency, selected: currency === chosen }, `${names.of(currency)}: ${moneyIn(price, currency)}`))));
}
