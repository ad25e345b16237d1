// The dialogs that create a coupon and change one.
import { h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { session } from "../session.js";
import { ask } from "../components/dialog.js";
import { keepDraft } from "../components/draft.js";
import { allValid, field } from "../components/field.js";
import { fromField, toField } from "../components/local-time.js";
import { decimal } from "./teach-new-draft.js";

/** @typedef {import("./coupons.js").Coupon} Coupon */

/** @param {string} value */
const isCode = (value) => (/^[A-Z0-9_-]{3,40}$/i.test(value) ? "" : "3 to 40 letters from A to Z, digits, - and _.");

/** @param {string} value @param {boolean} percent */
function checkReduction(value, percent) {
	const n = decimal(value), most = percent ? 100 : 10_000_000;
	if (Number.isNaN(n) || n === 0) return "A number above 0, such as 20 or 12.50.";
	if (n > most) return `At most ${most.toLocaleString()}.`;
	return /[.,]\d{3,}$/.test(value) ? "At most two digits after the point." : "";
}

/** @param {string} value */
const checkMost = (value) => (/^[1-9]\d{0,8}$/.test(value) ? "" : "A whole number from 1 on.");

/** The fields that are the same in both dialogs. @param {Partial<Coupon>} coupon @param {() => string} start what the field of the start holds */
const limits = (coupon, start) => ({
	ends: field("Ends", { name: "coupon-ends", type: "datetime-local", value: toField(coupon.endsAt ?? null), hint: "In your time zone. Without an end it is valid until you switch it off.", check: (value) => (start() && value <= start() ? "The end must be after the start." : "") }),
	most: field("How many times it can be used", { name: "coupon-most", inputMode: "numeric", autocomplete: "off", value: coupon.maxRedemptions ? String(coupon.maxRedemptions) : "", hint: "By all people together; each person uses it once. Without a number there is no limit.", check: checkMost }),
});

/** @param {Map<string, string>} titles of courses by id */
function newFields(titles) {
	/** @type {[string, string][]} */
	const courses = [...titles].sort(([, a], [, b]) => a.localeCompare(b));
	const kind = field("What it takes off", { name: "coupon-kind", required: true, options: [["percent", "Per cent of the price"], ["amount", `An amount in ${document.documentElement.dataset.currency || "INR"}`]], oninput: () => { if (value.value()) value.valid(); } });
	const value = field("How much", { name: "coupon-value", required: true, inputMode: "decimal", autocomplete: "off", check: (text) => checkReduction(text, kind.value() === "percent") });
	const starts = field("Starts", { name: "coupon-starts", type: "datetime-local", hint: "Without a start it is valid at once." });
	return {
		code: field("Code", { name: "coupon-code", required: true, autocomplete: "off", hint: "What people type at the checkout. Capital and small letters are the same.", check: isCode }),
		kind, value,
		course: field("Course", { name: "coupon-course", required: session.role() !== "admin", options: session.role() === "admin" ? [["", "Every course"], ...courses] : courses }),
		starts, ...limits({}, starts.value),
	};
}

/** Asks for a new coupon and creates it. Returns null if the reader has changed their mind. @param {Map<string, string>} titles @returns {Promise<Coupon | null>} */
export async function createCoupon(titles) {
	const fields = newFields(titles), { code, kind, value, course, starts, ends, most } = fields;
	const all = Object.values(fields), forget = keepDraft("coupon", all);
	/** @type {Coupon | null} */
	let made = null;
	const submit = async () => {
		const off = decimal(value.value());
		const body = { code: code.value(), ...(kind.value() === "percent" ? { percentOff: off } : { amountOff: off }), courseId: course.value() || undefined,
			startsAt: fromField(starts.value()), endsAt: fromField(ends.value()), maxRedemptions: Number(most.value()) || undefined };
		made = (await call("POST /api/educator/coupons", { body }).catch(explainTaken)).coupon;
	};
	await ask({ title: "Create a coupon", action: "Create the coupon", body: h("div", { class: "stack" }, all.map((each) => each.element)), check: () => allValid(all), submit });
	if (made) forget();
	return made;
}

/** @param {unknown} error @returns {never} */
function explainTaken(error) {
	if (error instanceof ApiError && error.status === 409) throw new ApiError(409, `${error.message}. Choose another one.`);
	throw error;
}

/** Asks for another end and another number of redemptions, or for none. Returns the coupon after the change, or null. @param {Coupon} coupon @returns {Promise<Coupon | null>} */
export async function changeCoupon(coupon) {
	const { ends, most } = limits(coupon, () => toField(coupon.startsAt));
	/** @type {Coupon | null} */
	let now = null;
	const submit = async () => {
		const body = { endsAt: ends.value() === toField(coupon.endsAt) ? undefined : (fromField(ends.value()) ?? null), maxRedemptions: Number(most.value()) || null };
		now = (await call("PATCH /api/educator/coupons/{couponId}", { path: { couponId: coupon._id }, body })).coupon;
	};
	await ask({ title: `Change ${coupon.code}`, action: "Save", body: h("div", { class: "stack" }, ends.element, most.element), check: () => allValid([ends, most]), submit });
	return now;
}
