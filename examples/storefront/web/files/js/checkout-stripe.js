// The checkout of Stripe: the form of Stripe.js. The sandbox has a script that stands in for it.
import { ApiError } from "./api.js";
import { h } from "./dom.js";

/**
 * What is used of Stripe.js.
 * @typedef {{mount: (node: HTMLElement) => unknown, on: (event: "ready", listener: () => void) => unknown}} FormElement
 * @typedef {{create: (kind: "payment") => FormElement}} Elements
 * @typedef {{elements: (options: {clientSecret: string}) => Elements, confirmPayment: (options: {elements: Elements, confirmParams: {return_url: string}}) => Promise<{error?: {message?: string}}>}} StripeClient
 * @typedef {(key: string) => StripeClient} StripeScript
 */

/** URL of the script; "" if the server takes no payments at Stripe. */
const scriptURL = document.documentElement.dataset.stripe || "";

/** Whether payments at Stripe can be made here. */
export const hasStripe = scriptURL !== "";

/** @type {Promise<StripeScript> | undefined} */
let loading;

/** Loads the script once. It is loaded again after a failure. @returns {Promise<StripeScript>} */
function load() {
	loading ??= new Promise((resolve, reject) => {
		const script = h("script", { src: scriptURL, async: true });
		script.addEventListener("load", () => resolve(/** @type {{Stripe: StripeScript}} */ (/** @type {unknown} */ (window)).Stripe));
		script.addEventListener("error", () => {
			loading = undefined;
			script.remove();
			reject(new ApiError(0, "The payment form could not be loaded. Check your connection, and try again."));
		});
		document.head.append(script);
	});
	return loading;
}

/**
 * Shows the form of an order. The function pay sends it: then the browser leaves, and comes back to
 * returnURL with payment_intent and redirect_status in the query. pay throws an error with Stripe's
 * text if the payment is refused at once.
 * @param {{keyId: string, clientSecret: string}} order
 * @param {string} returnURL
 * @returns {Promise<{form: HTMLElement, pay: () => Promise<void>}>}
 */
export async function openStripeForm({ keyId, clientSecret }, returnURL) {
	const stripe = (await load())(keyId);
	const elements = stripe.elements({ clientSecret });
	const form = h("div", { class: "stripe-form" });
	// Stripe mounts into an element of the document only.
	requestAnimationFrame(() => elements.create("payment").mount(form));
	return {
		form,
		pay: async () => {
			const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: returnURL } });
			if (error) throw new ApiError(402, error.message ?? "The payment was refused. Try another way to pay.");
		},
	};
}
