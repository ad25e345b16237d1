// A bundle that is being written: what its form holds, and what is sent of it.
import { session } from "../session.js";
import { call } from "../api.js";
import { readOn } from "../components/read-on.js";
import { editChanges } from "./edit-changes.js";
import { decimal, isTooCheap, pricesIn } from "./teach-new-draft.js";

/** @typedef {import("../types").Answer<"GET /api/educator/bundles">["bundles"][number]} Bundle */
/** Prices are kept as typed; courseIds are in the order of the bundle. @typedef {import("./course-form.js").Draft & {courseIds: string[]}} Draft */
/** @typedef {ReturnType<typeof bundleData>} Fields */

/** @returns {Draft} */
export const newDraft = () => ({ title: "", description: "", courseIds: [], price: "", prices: "", discount: "0", published: true });

/** @param {Bundle} bundle @returns {Draft} */
const draftOf = (bundle) => ({
	title: bundle.title, description: bundle.description, courseIds: bundle.courses.map(({ courseId }) => courseId), price: String(bundle.price),
	prices: (bundle.prices ?? []).map(({ currency, price }) => `${currency} ${price}`).join("\n"), discount: String(bundle.discount), published: bundle.isPublished,
});

/** What the API takes. @param {Draft} draft */
export const bundleData = (draft) => ({
	title: draft.title.trim(), description: draft.description.trim(), courseIds: draft.courseIds, price: decimal(draft.price), prices: pricesIn(draft.prices), discount: decimal(draft.discount), isPublished: draft.published,
});

/** The fields of the API, as the form calls them and as people do. @type {Record<keyof Fields, [key: keyof Draft, text: string]>} */
const fields = {
	title: ["title", "the title"], description: ["description", "the description"], courseIds: ["courseIds", "the courses"], price: ["price", "the price"],
	prices: ["prices", "the prices in other currencies"], discount: ["discount", "the discount"], isPublished: ["published", "who can see it"],
};

export const bundleEdits = editChanges({ kind: "bundle", fields, draftOf, dataOf: bundleData });

/** What is wrong with the bundle as a whole, or "". @param {Draft} draft */
export const problemOf = (draft) => (isTooCheap(draft) ? "After the discount the price is below 1, which cannot be paid. Lower the discount, or make the bundle free." : "");

/** A page of the bundles that the reader can change, the newest first. @param {AbortSignal} [signal] */
export const ownBundles = (signal) => async (/** @type {string | undefined} */ cursor) => {
	const { bundles: rows, nextCursor } = await call("GET /api/educator/bundles", { query: { limit: 100, cursor }, signal });
	return { rows, nextCursor };
};

/** One of them, which is looked for in all pages; null if there is none with the id. @param {string} bundleId @param {AbortSignal} [signal] @returns {Promise<Bundle | null>} */
export async function readBundle(bundleId, signal) {
	const read = ownBundles(signal);
	for (let page = await readOn(read); ; page = await readOn(read, page.nextCursor ?? undefined)) {
		const found = page.rows.find(({ _id }) => _id === bundleId);
		if (found || page.nextCursor === null) return found ?? null;
	}
}

/** A course that can be in a bundle. @typedef {{_id: string, courseTitle: string, coursePrice: number, discount: number, isPublished: boolean}} OwnCourse */

/** The courses of which the reader can make bundles. @param {AbortSignal} signal @returns {Promise<OwnCourse[]>} */
export async function ownCourses(signal) {
	const { courses } = session.role() === "admin" ? await call("GET /api/admin/courses", { signal }) : await call("GET /api/educator/courses", { signal });
	return courses;
}
