// What the checkout sells: a course, or a bundle of several.
import { ApiError, call } from "./api.js";
import { count, finalPrice } from "./format.js";
import { pathTo } from "./paths.js";

/** What quotes and orders are asked for. @typedef {{courseId: string} | {bundleId: string}} Item */
/**
 * What an item is and costs. by is the educator of a course, and contents what is in a bundle; one of
 * them is "". courseIds are the courses in which the buyer is enrolled. prices are those in other
 * currencies, all before the discount.
 * @typedef {{title: string, thumbnail: string, by: string, contents: string, courseIds: string[], price: number, prices: {currency: string, price: number}[], discount: number}} Offer
 */

/** What an order is for: a bundle if there is one, else a course. @param {{bundleId?: string, courseId?: string}} of @returns {Item} */
export const itemOf = ({ bundleId, courseId = "" }) => (bundleId ? { bundleId } : { courseId });

/** The checkout of an item. @param {Item} item */
export const checkoutOf = (item) => ("bundleId" in item ? pathTo.checkoutBundle(item.bundleId) : pathTo.checkout(item.courseId));

/** Reads an item; null if it is not offered. @param {Item} item @param {AbortSignal} signal @returns {Promise<Offer | null>} */
export async function readOffer(item, signal) {
	try {
		return "bundleId" in item ? await readBundle(item.bundleId, signal) : await readCourse(item.courseId, signal);
	} catch (error) {
		if (error instanceof ApiError && error.status === 404) return null;
		throw error;
	}
}

/** @param {string} id @param {AbortSignal} signal @returns {Promise<Offer>} */
async function readCourse(id, signal) {
	const { courseData: course } = await call("GET /api/course/{id}", { path: { id }, signal });
	return { title: course.courseTitle, thumbnail: course.courseThumbnail, by: course.educatorId.name, contents: "", courseIds: [id], price: course.coursePrice, prices: course.prices ?? [], discount: course.discount };
}

/** @param {string} id @param {AbortSignal} signal @returns {Promise<Offer>} */
async function readBundle(id, signal) {
	const { bundle } = await call("GET /api/bundle/{id}", { path: { id }, signal });
	return { title: bundle.title, thumbnail: bundle.thumbnail || bundle.courses[0].thumbnail, by: "", contents: count(bundle.courses.length, "course"), courseIds: bundle.courses.map(({ courseId }) => courseId), price: bundle.price, prices: bundle.prices ?? [], discount: bundle.discount };
}

/** What an offer costs in the currency of the platform, without a coupon. @param {Pick<Offer, "price" | "discount">} offer */
export const offerPrice = ({ price, discount }) => finalPrice({ coursePrice: price, discount });

/** How the checkout speaks of an item: noun, what is bought of it, and where others are. @param {Item} item */
export const wordsOf = (item) => ("bundleId" in item
	? { noun: "bundle", bought: "the courses", are: "are", all: "See all bundles", list: "/bundles", withdrawn: "It, or one of its courses, may have been withdrawn since you saw it. The courses in which you are enrolled are still in My learning." }
	: { noun: "course", bought: "the course", are: "is", all: "See all courses", list: "/", withdrawn: "It may have been withdrawn since you saw it. If you are enrolled, it is still in My learning." });
