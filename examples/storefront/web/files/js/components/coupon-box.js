// The coupon at the checkout: a field for its code, and what an item costs with it.
import { h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { actionButton } from "./button.js";
import { field } from "./field.js";
import { form } from "./form.js";

/** @typedef {import("../types").Answer<"POST /api/user/quote">} Quote */

/** What an item costs in a currency, with a coupon or without. @param {import("../offer.js").Item} item @param {string | undefined} couponCode @param {string} currency @param {AbortSignal} [signal] @returns {Promise<Quote>} */
export async function quoteOf(item, couponCode, currency, signal) {
	try {
		return await call("POST /api/user/quote", { body: { ...item, couponCode: couponCode || undefined, currency }, signal });
	} catch (error) {
		throw explainCoupon(error);
	}
}

/** An error about a coupon, with what to do next. @param {unknown} error */
export function explainCoupon(error) {
	if (!isAboutCoupon(error)) return error;
	return new ApiError(error.status, error.status === 404 ? `${error.message}. Check the spelling of the code.` : `${error.message}. It may have ended, be used up or be for something else, or you have used it before.`);
}

/** @param {unknown} error @returns {error is ApiError} */
export const isAboutCoupon = (error) => error instanceof ApiError && (error.status === 404 || error.status === 409) && /coupon/i.test(error.message);

/**
 * The field for a code; with a coupon, its code and a button that takes it away.
 * @param {string} code of the coupon that is applied, or ""
 * @param {(code: string) => Promise<any>} choose applies a code; "" takes the coupon away
 */
export function couponBox(code, choose) {
	if (code) return h("p", { class: "row" }, h("span", {}, "The coupon ", h("code", {}, code), " is applied."), actionButton("Remove the coupon", () => choose(""), { kind: "quiet small" }));
	const input = field("Coupon code", { name: "coupon", required: true, maxLength: 40, autocomplete: "off" });
	return h("details", { class: "coupon-box" }, h("summary", {}, "I have a coupon"), form([input], { action: "Apply", submit: () => choose(input.value()) }));
}
