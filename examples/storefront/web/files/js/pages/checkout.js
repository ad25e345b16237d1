// Buying a course or a bundle. The page is opened to buy, and once more when the gateway sends the browser
// back; it may be reloaded, left and opened again at any time without paying twice.
import { fill, h, load } from "../dom.js";
import { ApiError, forgetCourses } from "../api.js";
import { itemOf, offerPrice, readOffer, wordsOf } from "../offer.js";
import { pathTo } from "../paths.js";
import { confirmPayment, enrolledIn, openOrder, proofIn, statusOf } from "../purchase.js";
import { hasCheckout, openCheckout } from "../checkout-gateway.js";
import { hasStripe, openStripeForm } from "../checkout-stripe.js";
import { bill, totalOf } from "../components/bill.js";
import { actionButton } from "../components/button.js";
import { thumbnail } from "../components/card.js";
import { couponBox, explainCoupon, isAboutCoupon, quoteOf } from "../components/coupon-box.js";
import { currencyChoice, currencyIn, ownCurrency } from "../components/currency-choice.js";
import { actionWithProblem } from "../components/problem.js";
import { empty, explain } from "../components/states.js";
import { toastError } from "../components/toast.js";
import { refresh, setQuery } from "../router.js";

export const title = "Checkout";
export const width = "narrow";

/** @typedef {import("../offer.js").Offer} Offer */
/** @typedef {import("../purchase.js").Proof} Proof */
/** @typedef {import("../components/coupon-box.js").Quote} Quote */
/**
 * What the parts of the page share: offer is null if the item is not offered, quote if there is neither a
 * coupon nor another currency than that of the platform, and region holds all but the heading.
 * purchaseId is that of the order that was opened, and "" before.
 * @typedef {{item: import("../offer.js").Item, offer: Offer | null, quote: Quote | null, purchaseId: string, region: HTMLElement, signal: AbortSignal}} Checkout
 */

/** @param {import("../router.js").Visit} visit */
export function page({ params, query, signal }) {
	const item = itemOf(params);
	return [h("header", { class: "page-head" }, h("h1", {}, "Checkout")), load(async () => {
		const [offer, enrolled] = await Promise.all([readOffer(item, signal), enrolledIn(signal)]);
		const isOwned = hasAll(item, offer, enrolled), coupon = query.get("coupon") ?? "", currency = currencyIn(offer, query.get("currency"));
		return { offer, isOwned, found: offer && !isOwned ? await quoteIf(item, coupon, currency, signal).catch((error) => error) : null };
	}, ({ offer, isOwned, found }) => {
		const refused = found instanceof Error;
		/** @type {Checkout} */
		const checkout = { item, offer, quote: refused ? null : found, purchaseId: query.get("purchase") ?? "", region: h("div", { class: "stack loose", role: "status" }), signal };
		return isOwned ? showEnrolled(checkout) : begin(checkout, query, refused ? notice("warn", "The coupon is not applied.", explain(found)) : null);
	})];
}

/** Whether the reader is enrolled in all that an item has. That of a bundle which is not offered is not known. @param {import("../offer.js").Item} item @param {Offer | null} offer @param {Set<string>} enrolled */
function hasAll(item, offer, enrolled) {
	const ids = offer?.courseIds ?? ("courseId" in item ? [item.courseId] : []);
	return ids.length > 0 && ids.every((id) => enrolled.has(id));
}

/** The quote, or null if the item itself has said it all. @param {import("../offer.js").Item} item @param {string} code @param {string} currency @param {AbortSignal} signal */
const quoteIf = async (item, code, currency, signal) => (code || currency !== ownCurrency ? quoteOf(item, code, currency, signal) : null);

/** @param {import("../offer.js").Item} item */
function notOffered(item) {
	const { noun, withdrawn, all, list } = wordsOf(item);
	return empty(`This ${noun} is not offered`, withdrawn, h("a", { class: "button primary", href: list }, all));
}

/** Shows what the query says about a payment. @param {Checkout} checkout @param {URLSearchParams} query @param {Node | null} above */
function begin(checkout, query, above) {
	const proof = proofIn(query);
	if (proof) return confirm(checkout, proof);
	switch (query.get("redirect_status") ?? query.get("payment")) {
		case "pending": return processing(checkout);
		case "failed": return show(checkout, notice("bad", "The payment failed.", "Nothing was charged. Try again, or pay in another way."));
		case "cancelled": return show(checkout, notice("warn", "You have not paid.", `Nothing was charged. The ${wordsOf(checkout.item).noun} is still there for you.`));
	}
	return show(checkout, above);
}

/** The address of this page, with the coupon, the currency and the purchase. @param {Checkout} checkout */
function address(checkout) {
	const query = String(queryOf(checkout));
	return location.pathname + (query && "?" + query);
}

/** @param {Checkout} checkout */
function queryOf({ quote, purchaseId }) {
	const query = new URLSearchParams();
	if (quote?.coupon) query.set("coupon", quote.coupon.code);
	if (quote && quote.currency !== ownCurrency) query.set("currency", quote.currency);
	if (purchaseId) query.set("purchase", purchaseId);
	return query;
}

/** @param {string} kind @param {string} what @param {string} text */
const notice = (kind, what, text) => h("p", { class: `notice ${kind}` }, h("strong", {}, what), " ", text);

/** What is bought, and the button that pays. @param {Checkout} checkout @param {Node | null} [above] */
function show(checkout, above) {
	const { item, offer, quote, region } = checkout;
	if (!offer) return fill(region, above, notOffered(item));
	const total = quote?.total ?? offerPrice(offer);
	const currency = quote?.currency ?? ownCurrency, code = quote?.coupon?.code ?? "";
	const coupon = offerPrice(offer) > 0 ? couponBox(code, (other) => choose(checkout, other, currency)) : null;
	const currencies = currencyChoice(offer, currency, (other) => choose(checkout, code, other).catch((error) => { toastError(error); show(checkout); }));
	return fill(region, above, h("div", { class: "card pad stack" }, summary(offer), currencies, bill(offer, quote), coupon, payment(checkout, total)));
}

/** Applies a coupon and a currency, or takes the coupon away. The item is read again, so that the bill has one state of its price. @param {Checkout} checkout @param {string} code @param {string} currency */
async function choose(checkout, code, currency) {
	const { item, signal } = checkout;
	[checkout.offer, checkout.quote] = await Promise.all([readOffer(item, signal), quoteIf(item, code, currency, signal)]);
	const hadFocus = document.activeElement instanceof HTMLSelectElement ? "select" : "button";
	setQuery(queryOf(checkout));
	show(checkout);
	/** @type {HTMLElement | null} */ (checkout.region.querySelector(hadFocus))?.focus();
}

/** @param {Offer} offer */
const summary = ({ title: name, thumbnail: picture, by, contents }) => h("div", { class: "checkout-course" }, thumbnail({ courseThumbnail: picture }, true),
	h("div", {}, h("h2", {}, h("bdi", {}, name)), h("p", { class: "muted small" }, by ? ["by ", h("bdi", {}, by)] : contents)));

/** @param {Checkout} checkout @param {number} total */
function payment(checkout, total) {
	if (total === 0) return actionWithProblem("Enrol for free", () => pay(checkout), { kind: "primary wide" });
	if (!hasCheckout && !hasStripe) return h("p", { class: "notice" }, "This server has a payment gateway of its own. Its checkout is opened by the function openCheckout in js/checkout-gateway.js, which this storefront does not have yet.");
	return [actionWithProblem(`Pay ${checkout.offer ? totalOf(checkout.offer, checkout.quote) : ""}`, () => pay(checkout), { kind: "primary wide" }),
		h("p", { class: "muted small" }, hasCheckout ? "You pay at the sandbox's gateway: no money moves, and you choose there whether the payment succeeds. Then you come back to this page." : "You pay at Stripe, and come back to this page.")];
}

/** Opens the order and the gateway's checkout. @param {Checkout} checkout */
async function pay(checkout) {
	const order = await openOrder(checkout.item, checkout.quote?.coupon?.code, checkout.quote?.currency).catch((error) => withdrawCoupon(checkout, error));
	if (order === undefined) return undefined;
	if (!order) return showEnrolled(checkout);
	checkout.purchaseId = order.purchaseId;
	if (order.provider === "stripe") return payAtStripe(checkout, order);
	const proof = await openCheckout(order, location.origin + address(checkout));
	return proof ? confirm(checkout, proof) : refresh();
}

/** Shows Stripe's form in place of the button. @param {Checkout} checkout @param {import("../purchase.js").Order} order */
async function payAtStripe(checkout, order) {
	const { offer, quote, region } = checkout;
	const { form, pay: send } = await openStripeForm({ keyId: order.keyId, clientSecret: order.clientSecret ?? "" }, location.origin + address(checkout));
	return fill(region, h("div", { class: "card pad stack" }, offer && summary(offer), form,
		actionWithProblem(offer ? `Pay ${totalOf(offer, quote)}` : "Pay", send, { kind: "primary wide" }),
		h("p", { class: "small" }, h("a", { href: address(checkout) }, "Go back"))));
}

/** Shows the price without a coupon that has become invalid since it was applied. @param {Checkout} checkout @param {unknown} error */
function withdrawCoupon(checkout, error) {
	if (!isAboutCoupon(error)) throw error;
	offerWithoutCoupon(checkout, notice("warn", "The coupon is not applied any more.", explain(explainCoupon(error))));
}

/** @param {Checkout} checkout @param {Node} above */
function offerWithoutCoupon(checkout, above) {
	checkout.quote = null;
	checkout.purchaseId = "";
	setQuery(new URLSearchParams());
	show(checkout, above);
}

/** Tells the server of the payment that the gateway has proved. @param {Checkout} checkout @param {Proof} proof */
function confirm(checkout, proof) {
	const told = confirmPayment(proof).then(() => showEnrolled(checkout), (error) => explainRefusal(checkout, proof, error));
	told.catch(toastError);
	return fill(checkout.region, h("p", { class: "row card pad" }, spinner(), "Confirming your payment…"));
}

/** @param {Checkout} checkout @param {Proof} proof @param {unknown} error */
function explainRefusal(checkout, proof, error) {
	if (checkout.signal.aborted) return;
	const status = error instanceof ApiError ? error.status : 0;
	if (status === 400) show(checkout, notice("bad", "The payment is not confirmed.", "The link back from the gateway is damaged. If you have paid, the gateway tells us by itself: look into My learning in some minutes, before you pay again."));
	else if (status === 409 && /refunded/i.test(explain(error))) offerWithoutCoupon(checkout, notice("bad", "You are not enrolled.", explain(error)));
	else if (status === 409 && /not complete/i.test(explain(error))) processing(checkout);
	else if (status === 404) show(checkout, notice("bad", "This payment belongs to another account.", `Sign in as the person who has paid: ${wordsOf(checkout.item).bought} ${wordsOf(checkout.item).are} there.`));
	else wait(checkout, "Your payment is not confirmed yet", `${status === 429 ? explain(error) : "The server did not answer."} You have paid and need not pay again.`, actionButton("Confirm again", async () => confirm(checkout, proof)));
}

const spinner = () => h("span", { class: "spinner", "aria-hidden": "true" });

/** Waits for a payment that takes a while, such as a debit of a bank account. @param {Checkout} checkout */
const processing = (checkout) => wait(checkout, "Your payment is being processed", "We are told when it has arrived. This can take some minutes, and for some ways to pay some days.",
	h("p", { class: "small" }, "You have not paid after all? ", h("a", { href: address(checkout) }, "Go back to the checkout")));

/** Waits until the server knows of the payment. @param {Checkout} checkout @param {string} what @param {string} text @param {Node} action */
function wait(checkout, what, text, action) {
	pollUntilDecided(checkout).then((status) => {
		if (status === "completed") showEnrolled(checkout);
		else if (status === "failed") show(checkout, notice("bad", "The payment failed.", "Nothing was charged. Try again, or pay in another way."));
		else if (status === "refunded") offerWithoutCoupon(checkout, notice("bad", "You are not enrolled.", "Your payment is being refunded."));
	});
	return fill(checkout.region, h("div", { class: "card pad stack" }, h("div", { class: "row" }, spinner(), h("h2", { class: "grow" }, what)),
		h("p", {}, text, ` You may close this page: ${wordsOf(checkout.item).bought} will be in My learning by ${"bundleId" in checkout.item ? "themselves" : "itself"}.`), h("div", {}, action)));
}

/** Asks every few seconds, with longer and longer pauses, until the purchase is decided. Without a purchase it asks for the enrolment. @param {Checkout} checkout @returns {Promise<string>} */
async function pollUntilDecided({ item, offer, purchaseId, signal }) {
	const ask = async () => (purchaseId ? statusOf(purchaseId, signal) : hasAll(item, offer, await enrolledIn(signal)) ? "completed" : "pending");
	for (let pause = 2000; !signal.aborted; pause = Math.min(pause * 1.2, 20000)) {
		await new Promise((resolve) => setTimeout(resolve, pause));
		const status = signal.aborted ? "pending" : await ask().catch(() => "pending");
		if (status !== "pending" && !signal.aborted) return status;
	}
	return "pending";
}

/** Says that the reader is enrolled; the address no longer tells of the payment. @param {Checkout} checkout */
function showEnrolled({ item, offer, region, signal }) {
	if (signal.aborted) return region;
	setQuery(new URLSearchParams());
	forgetCourses();
	const heading = h("h2", { tabIndex: -1 }, "You are enrolled");
	const hadFocus = region.contains(document.activeElement);
	fill(region, h("div", { class: "state enrolled" }, h("span", { class: "tick", "aria-hidden": "true" }, "✓"), heading,
		"bundleId" in item ? h("p", {}, "All courses of ", offer ? h("bdi", {}, offer.title) : "the bundle", " are in My learning.") : h("p", {}, offer ? h("bdi", {}, offer.title) : "The course", " is in My learning, with all its lectures and quizzes."),
		h("div", { class: "row" }, "courseId" in item && h("a", { class: "button primary", href: pathTo.learn(item.courseId) }, "Start learning"), h("a", { class: "courseId" in item ? "button" : "button primary", href: "/learn" }, "My learning"))));
	if (hadFocus) heading.focus();
	return region;
}
