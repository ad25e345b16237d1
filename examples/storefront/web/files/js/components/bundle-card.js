// Parts that show a bundle: its picture, its price, and what it saves.
import { finalPrice } from "../format.js";
import { priceTag, thumbnail } from "./card.js";

/** @typedef {import("../types").Answer<"GET /api/bundle/{id}">["bundle"]} Bundle */

/** The picture of a bundle, or else that of its first course. @param {Pick<Bundle, "thumbnail" | "courses">} bundle @param {boolean} [eager] */
export const bundlePicture = ({ thumbnail: own, courses }, eager = false) => thumbnail({ courseThumbnail: own || courses[0]?.thumbnail || "" }, eager);

/** @param {Pick<Bundle, "price" | "discount">} bundle */
export const bundlePrice = ({ price, discount }) => priceTag({ coursePrice: price, discount });

/** How much less a bundle costs than its courses one by one; 0 if it is not less, or if the price of a course is not known. @param {Pick<Bundle, "price" | "discount" | "courses">} bundle @param {import("../api.js").Course[]} catalogue */
export function savings({ price, discount, courses }, catalogue) {
	const byId = new Map(catalogue.map((course) => [course._id, course]));
	const known = courses.flatMap(({ courseId }) => byId.get(courseId) ?? []);
	if (known.length < courses.length) return 0;
	const alone = known.reduce((sum, course) => sum + finalPrice(course), 0);
	return Math.max(0, Math.round(100 * (alone - finalPrice({ coursePrice: price, discount }))) / 100);
}
