// The checkout of the payment gateway. A host replaces what is in this file by its gateway's own.

/** Base URL of the sandbox, if it takes payments; "" if the server has a payment gateway of its own. */
const checkoutURL = document.documentElement.dataset.checkout || "";

/** Whether there is a checkout to open. */
export const hasCheckout = checkoutURL !== "";

/**
 * Opens the checkout of an order. The sandbox's is a page of its own: the browser leaves, and comes
 * back to returnURL with the proof of payment in the query, or with payment=failed, cancelled or
 * pending. A gateway's widget would open here instead, with order.keyId, order.orderId,
 * order.amount and order.currency, and this function would return the proof that the widget gives.
 * @param {import("./purchase.js").Order} order
 * @param {string} returnURL
 * @returns {Promise<import("./purchase.js").Proof | null>} null if the reader has not paid
 */
export async function openCheckout(order, returnURL) {
	location.assign(`${checkoutURL}/checkout/${encodeURIComponent(order.orderId)}?return=${encodeURIComponent(returnURL)}`);
	// The back button may show this page again as it was left; then the reader has not paid.
	await new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
	return null;
}
