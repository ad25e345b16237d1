// Coupons: those of the educator's courses, or all of them for administrators. They are created,
// switched off and on, and their end and number of redemptions are changed.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { session } from "../session.js";
import { count, number, time } from "../format.js";
import { actionButton, dialogButton } from "../components/button.js";
import { reduction } from "../components/reduction.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";
import { changeCoupon, createCoupon } from "./coupon-form.js";

/** @typedef {import("../types").Answer<"GET /api/educator/coupons">["coupons"][number]} Coupon */
/** Titles of courses by id. @typedef {Map<string, string>} Titles */

export const title = "Coupons";

/** @param {import("../router.js").Visit} visit */
export function page({ signal }) {
	const head = session.role() === "admin" ? adminHead("Coupons", "Codes that reduce the price of one course, or of every course.") : teachHead("Coupons", "Codes that reduce the price of one of your courses.");
	return [...head, load(() => read(signal), ({ coupons, titles }) => view(coupons, titles))];
}

/** The coupons, the newest first, and the courses that they can be for. @param {AbortSignal} signal */
async function read(signal) {
	const courses = session.role() === "admin" ? call("GET /api/admin/courses", { signal }) : call("GET /api/educator/courses", { signal });
	const [{ coupons }, answer] = await Promise.all([call("GET /api/educator/coupons", { signal }), courses]);
	return { coupons: coupons.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)), titles: new Map(answer.courses.map((course) => [course._id, course.courseTitle])) };
}

/** @param {Coupon[]} coupons @param {Titles} titles */
function view(coupons, titles) {
	const region = h("div", { class: "stack" });
	const create = dialogButton("Create a coupon", async () => {
		const made = await createCoupon(titles);
		if (!made) return;
		coupons.unshift(made);
		draw();
		toast(`The coupon ${made.code} can be used.`);
	}, { kind: "primary" });
	const draw = () => fill(region, h("div", { class: "row spread" }, h("p", { class: "muted small", role: "status" }, count(coupons.length, "coupon")), create),
		coupons.length === 0 ? empty("No coupons yet", "Create one and give its code to those who may use it.") : h("ul", { class: "card list" }, coupons.map((coupon) => item(coupon, titles))));
	draw();
	return region;
}

/** @param {Coupon} coupon @param {Titles} titles */
function item(coupon, titles) {
	const element = h("li", { class: "coupon" });
	const changed = (/** @type {Coupon} */ now, /** @type {string} */ text) => {
		Object.assign(coupon, now);
		draw();
		toast(text);
	};
	const draw = () => fill(element, about(coupon, titles), h("div", { class: "row" }, change(coupon, changed), power(coupon, changed)));
	draw();
	return element;
}

/** @param {Coupon} coupon @param {Titles} titles */
function about(coupon, titles) {
	const [text, kind] = stateOf(coupon);
	const course = coupon.courseId === null ? "Every course" : h("bdi", {}, titles.get(coupon.courseId) ?? "A course that is no longer there");
	return h("div", { class: "stack tight grow" },
		h("div", { class: "row" }, h("h2", {}, h("code", {}, coupon.code)), h("span", { class: `badge ${kind}` }, text)),
		h("p", {}, h("strong", {}, reduction(coupon)), " · ", course),
		h("p", { class: "muted small" }, `${usage(coupon)} · ${validity(coupon)}`));
}

/** @param {Coupon} coupon */
const usage = ({ redemptions, maxRedemptions }) => (maxRedemptions === null ? `Used ${count(redemptions, "time")}` : `Used ${number(redemptions)} of ${count(maxRedemptions, "time")}`);

/** @param {Coupon} coupon */
function validity({ startsAt, endsAt }) {
	const from = startsAt ? `from ${time(startsAt)}` : "", until = endsAt ? `until ${time(endsAt)}` : "";
	return from || until ? `valid ${[from, until].filter(Boolean).join(" ")}` : "valid without an end";
}

/** Whether a coupon can be used now, in words, with the kind of its badge. @param {Coupon} coupon @returns {[text: string, kind: string]} */
function stateOf({ isActive, startsAt, endsAt, redemptions, maxRedemptions }) {
	if (!isActive) return ["Switched off", ""];
	if (endsAt && Date.parse(endsAt) <= Date.now()) return ["Ended", ""];
	if (maxRedemptions !== null && redemptions >= maxRedemptions) return ["Used up", "warn"];
	if (startsAt && Date.parse(startsAt) > Date.now()) return ["Not yet valid", "warn"];
	return ["Active", "good"];
}

/** @param {Coupon} coupon @param {(now: Coupon, text: string) => void} changed */
const change = (coupon, changed) => dialogButton("Change", async () => {
	const now = await changeCoupon(coupon);
	if (now) changed(now, `The coupon ${coupon.code} is changed.`);
}, { kind: "small", name: `Change the coupon ${coupon.code}` });

/** The button that switches a coupon off or on. @param {Coupon} coupon @param {(now: Coupon, text: string) => void} changed */
function power(coupon, changed) {
	const off = coupon.isActive;
	const button = actionButton(off ? "Switch off" : "Switch on", async () => {
		const row = button.closest("li");
		const answer = await call("PATCH /api/educator/coupons/{couponId}", { path: { couponId: coupon._id }, body: { isActive: !off } });
		changed(answer.coupon, off ? `The coupon ${coupon.code} can no longer be used. Orders that are open keep their price.` : `The coupon ${coupon.code} can be used again.`);
		/** @type {HTMLElement | null | undefined} */ (row?.querySelector(".power"))?.focus();
	}, { kind: "small power", name: `${off ? "Switch off" : "Switch on"} the coupon ${coupon.code}` });
	return button;
}
