// The choice of the currency that a course is paid in, if it has prices in several.
import { h, onValue } from "../dom.js";
import { finalPrice, moneyIn } from "../format.js";

/** @typedef {import("./outline.js").CourseDetail} CourseDetail */

/** The currency of the platform. */
export const ownCurrency = document.documentElement.dataset.currency || "INR";

/** The currency of a query, or that of the platform if the course is not sold in it. @param {CourseDetail | null} course @param {string | null} asked */
export const currencyIn = (course, asked) => course?.prices?.find(({ currency }) => currency === asked)?.currency ?? ownCurrency;

/**
 * The select; null if the course has one price. The prices are before the discount: what is left of
 * them is in the bill, as the server rounds it.
 * @param {CourseDetail} course @param {string} chosen @param {(currency: string) => void} choose
 */
export function currencyChoice(course, chosen, choose) {
	if (!course.prices?.length || finalPrice(course) === 0) return null;
	const prices = [{ currency: ownCurrency, price: course.coursePrice }, ...course.prices];
	const names = new Intl.DisplayNames(navigator.language, { type: "currency" });
	return h("label", { class: "field" }, h("span", {}, "Currency"), h("select", { class: "input", name: "currency", onchange: onValue(choose) },
		prices.map(({ currency, price }) => h("option", { value: currency, selected: currency === chosen }, `${names.of(currency)}: ${moneyIn(price, currency)}`))));
}
