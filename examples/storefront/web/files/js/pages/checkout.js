// Buying one course. The page is opened to buy, and once more when the gateway sends the browser
// back; it may be reloaded, left and opened again at any time without paying twice.
import { fill, h, load } from "../dom.js";
import { ApiError, call, forgetCourses } from "../api.js";
import { finalPrice } from "../format.js";
import { pathTo } from "../paths.js";
import { confirmPayment, isEnrolled, openOrder, proofIn, statusOf } from "../purchase.js";
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

/** @typedef {import("../components/outline.js").CourseDetail} CourseDetail */
/** @typedef {import("../purchase.js").Proof} Proof */
/** @typedef {import("../components/coupon-box.js").Quote} Quote */
/**
 * What the parts of the page share: course is null if it is not offered, quote if there is neither a
 * coupon nor another currency than that of the platform, and region holds all but the heading.
 * purchaseId is that of the order that was opened, and "" before.
 * @typedef {{courseId: string, course: CourseDetail | null, quote: Quote | null, purchaseId: string, region: HTMLElement, signal: AbortSignal}} Checkout
 */

/** @param {import("../router.js").Visit} visit */
export function page({ params: { courseId }, query, signal }) {
	return [h("header", { class: "page-head" }, h("h1", {}, "Checkout")), load(async () => {
		const [course, enrolled] = await Promise.all([readCourse(courseId, signal), isEnrolled(courseId, signal)]);
		const coupon = query.get("coupon") ?? "", currency = currencyIn(course, query.get("currency"));
		return { course, enrolled, found: course && !enrolled ? await quoteIf(courseId, coupon, currency, signal).catch((error) => error) : null };
	}, ({ course, enrolled, found }) => {
		const refused = found instanceof Error;
		const checkout = { courseId, course, quote: refused ? null : found, purchaseId: query.get("purchase") ?? "", region: h("div", { class: "stack loose", role: "status" }), signal };
		return enrolled ? showEnrolled(checkout) : begin(checkout, query, refused ? notice("warn", "The coupon is not applied.", explain(found)) : null);
	})];
}

/** The quote, or null if the page of the course has said it all. @param {string} courseId @param {string} code @param {string} currency @param {AbortSignal} signal */
const quoteIf = async (courseId, code, currency, signal) => (code || currency !== ownCurrency ? quoteOf(courseId, code, currency, signal) : null);

/** The course, or null if it is not offered. @param {string} id @param {AbortSignal} signal */
function readCourse(id, signal) {
	return call("GET /api/course/{id}", { path: { id }, signal }).then((answer) => answer.courseData, (error) => {
		if (error instanceof ApiError && error.status === 404) return null;
		throw error;
	});
}

const notOffered = () => empty("This course is not offered", "It may have been withdrawn since you saw it. If you are enrolled, it is still in My learning.", h("a", { class: "button primary", href: "/" }, "See all courses"));

/** Shows what the query says about a payment. @param {Checkout} checkout @param {URLSearchParams} query @param {Node | null} above */
function begin(checkout, query, above) {
	const proof = proofIn(query);
	if (proof) return confirm(checkout, proof);
	switch (query.get("redirect_status") ?? query.get("payment")) {
		case "pending": return processing(checkout);
		case "failed": return offer(checkout, notice("bad", "The payment failed.", "Nothing was charged. Try again, or pay in another way."));
		case "cancelled": return offer(checkout, notice("warn", "You have not paid.", "Nothing was charged. The course is still there for you."));
	}
	return offer(checkout, above);
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
function offer(checkout, above) {
	const { course, quote, region } = checkout;
	if (!course) return fill(region, above, notOffered());
	const total = quote?.total ?? finalPrice(course);
	const currency = quote?.currency ?? ownCurrency, code = quote?.coupon?.code ?? "";
	const coupon = finalPrice(course) > 0 ? couponBox(code, (other) => choose(checkout, other, currency)) : null;
	const currencies = currencyChoice(course, currency, (other) => choose(checkout, code, other).catch((error) => { toastError(error); offer(checkout); }));
	return fill(region, above, h("div", { class: "card pad stack" }, summary(course), currencies, bill(course, quote), coupon, payment(checkout, total)));
}

/** Applies a coupon and a currency, or takes the coupon away. The course is read again, so that the bill has one state of its price. @param {Checkout} checkout @param {string} code @param {string} currency */
async function choose(checkout, code, currency) {
	const { courseId, signal } = checkout;
	[checkout.course, checkout.quote] = await Promise.all([readCourse(courseId, signal), quoteIf(courseId, code, currency, signal)]);
	const hadFocus = document.activeElement instanceof HTMLSelectElement ? "select" : "button";
	setQuery(queryOf(checkout));
	offer(checkout);
	/** @type {HTMLElement | null} */ (checkout.region.querySelector(hadFocus))?.focus();
}

/** @param {CourseDetail} course */
const summary = (course) => h("div", { class: "checkout-course" }, thumbnail(course, true),
	h("div", {}, h("h2", {}, h("bdi", {}, course.courseTitle)), h("p", { class: "muted small" }, "by ", h("bdi", {}, course.educatorId.name))));

/** @param {Checkout} checkout @param {number} total */
function payment(checkout, total) {
	if (total === 0) return actionWithProblem("Enrol for free", () => pay(checkout), { kind: "primary wide" });
	if (!hasCheckout && !hasStripe) return h("p", { class: "notice" }, "This server has a payment gateway of its own. Its checkout is opened by the function openCheckout in js/checkout-gateway.js, which this storefront does not have yet.");
	return [actionWithProblem(`Pay ${checkout.course ? totalOf(checkout.course, checkout.quote) : ""}`, () => pay(checkout), { kind: "primary wide" }),
		h("p", { class: "muted small" }, hasCheckout ? "You pay at the sandbox's gateway: no money moves, and you choose there whether the payment succeeds. Then you come back to this page." : "You pay at Stripe, and come back to this page.")];
}

/** Opens the order and the gateway's checkout. @param {Checkout} checkout */
async function pay(checkout) {
	const order = await openOrder(checkout.courseId, checkout.quote?.coupon?.code, checkout.quote?.currency).catch((error) => withdrawCoupon(checkout, error));
	if (order === undefined) return undefined;
	if (!order) return showEnrolled(checkout);
	checkout.purchaseId = order.purchaseId;
	if (order.provider === "stripe") return payAtStripe(checkout, order);
	const proof = await openCheckout(order, location.origin + address(checkout));
	return proof ? confirm(checkout, proof) : refresh();
}

/** Shows Stripe's form in place of the button. @param {Checkout} checkout @param {import("../purchase.js").Order} order */
async function payAtStripe(checkout, order) {
	const { course, quote, region } = checkout;
	const { form, pay: send } = await openStripeForm({ keyId: order.keyId, clientSecret: order.clientSecret ?? "" }, location.origin + address(checkout));
	return fill(region, h("div", { class: "card pad stack" }, course && summary(course), form,
		actionWithProblem(course ? `Pay ${totalOf(course, quote)}` : "Pay", send, { kind: "primary wide" }),
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
	offer(checkout, above);
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
	if (status === 400) offer(checkout, notice("bad", "The payment is not confirmed.", "The link back from the gateway is damaged. If you have paid, the gateway tells us by itself: look into My learning in some minutes, before you pay again."));
	else if (status === 409 && /refunded/i.test(explain(error))) offerWithoutCoupon(checkout, notice("bad", "You are not enrolled.", explain(error)));
	else if (status === 409 && /not complete/i.test(explain(error))) processing(checkout);
	else if (status === 404) offer(checkout, notice("bad", "This payment belongs to another account.", "Sign in as the person who has paid; the course is there."));
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
		else if (status === "failed") offer(checkout, notice("bad", "The payment failed.", "Nothing was charged. Try again, or pay in another way."));
		else if (status === "refunded") offerWithoutCoupon(checkout, notice("bad", "You are not enrolled.", "Your payment is being refunded."));
	});
	return fill(checkout.region, h("div", { class: "card pad stack" }, h("div", { class: "row" }, spinner(), h("h2", { class: "grow" }, what)),
		h("p", {}, text, " You may close this page: the course will be in My learning by itself."), h("div", {}, action)));
}

/** Asks every few seconds, with longer and longer pauses, until the purchase is decided. Without a purchase it asks for the enrolment. @param {Checkout} checkout @returns {Promise<string>} */
async function pollUntilDecided({ courseId, purchaseId, signal }) {
	const ask = async () => (purchaseId ? statusOf(purchaseId, signal) : (await isEnrolled(courseId, signal)) ? "completed" : "pending");
	for (let pause = 2000; !signal.aborted; pause = Math.min(pause * 1.2, 20000)) {
		await new Promise((resolve) => setTimeout(resolve, pause));
		const status = signal.aborted ? "pending" : await ask().catch(() => "pending");
		if (status !== "pending" && !signal.aborted) return status;
	}
	return "pending";
}

/** Says that the reader is enrolled; the address no longer tells of the payment. @param {Checkout} checkout */
function showEnrolled({ courseId, course, region, signal }) {
	if (signal.aborted) return region;
	setQuery(new URLSearchParams());
	forgetCourses();
	const heading = h("h2", { tabIndex: -1 }, "You are enrolled");
	const hadFocus = region.contains(document.activeElement);
	fill(region, h("div", { class: "state enrolled" }, h("span", { class: "tick", "aria-hidden": "true" }, "✓"), heading,
		h("p", {}, course ? h("bdi", {}, course.courseTitle) : "The course", " is in My learning, with all its lectures and quizzes."),
		h("div", { class: "row" }, h("a", { class: "button primary", href: pathTo.learn(courseId) }, "Start learning"), h("a", { class: "button", href: "/learn" }, "My learning"))));
	if (hadFocus) heading.focus();
	return region;
}
