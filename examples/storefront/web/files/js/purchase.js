// Buying a course or a bundle: the steps between "Buy" and "enrolled". None of them charges twice.
import { ApiError, call } from "./api.js";

/** @typedef {import("./types").Answer<"POST /api/user/purchase">} Order */
/** The proof of a payment: the gateway's, or the id of an order about which the server asks Stripe. @typedef {{gateway_order_id: string, gateway_payment_id?: string, gateway_signature?: string}} Proof */

/** The courses in which the signed-in person is enrolled, and whose access has not ended, by id. @param {AbortSignal} [signal] */
export async function enrolledIn(signal) {
	const { enrolledCourses } = await call("GET /api/user/enrolled-courses", { signal });
	return new Set(enrolledCourses.filter(({ isExpired }) => !isExpired).map(({ _id }) => _id));
}

/**
 * Opens an order for an item. The server answers the same order until it is paid, so that a
 * repetition is harmless. Returns null if the person is enrolled: the item is free, or was bought
 * before.
 * @param {import("./offer.js").Item} item
 * @param {string} [couponCode]
 * @param {string} [currency] without it that of the platform
 * @returns {Promise<Order | null>}
 */
export async function openOrder(item, couponCode, currency) {
	try {
		const order = await call("POST /api/user/purchase", { body: { ...item, couponCode, currency } });
		if (order.orderId !== "") return order;
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 409 || !/already enrolled/i.test(error.message)) throw error;
	}
	return null;
}

/** What became of a purchase of the signed-in person. Asking is outside the limit of payments. @param {string} purchaseId @param {AbortSignal} signal */
export async function statusOf(purchaseId, signal) {
	const { purchase } = await call("GET /api/user/purchases/{purchaseId}", { path: { purchaseId }, signal });
	return purchase.status;
}

/** Tells the server of a payment. It may be told several times. @param {Proof} proof */
export async function confirmPayment(proof) {
	await call("POST /api/user/verify-gateway", { body: proof });
}

/** The proof with which a checkout has sent the browser back, or null. @param {URLSearchParams} query @returns {Proof | null} */
export function proofIn(query) {
	const value = (/** @type {string} */ name) => query.get(name) ?? "";
	// Stripe.js says failed if there is nothing to ask about.
	if (value("payment_intent") && value("redirect_status") !== "failed") return { gateway_order_id: value("payment_intent") };
	const proof = { gateway_order_id: value("gateway_order_id"), gateway_payment_id: value("gateway_payment_id"), gateway_signature: value("gateway_signature") };
	return Object.values(proof).every(Boolean) ? proof : null;
}
