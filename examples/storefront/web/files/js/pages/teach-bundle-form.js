// The parts of the form of a bundle, for the page that makes one and the page that edits one.
import { courseFields } from "./teach-bundle-courses.js";
import { part, priceFields, textFields, visibility } from "./course-form.js";

/** @typedef {import("./teach-bundle-draft.js").Draft} Draft */

/** @param {Draft} draft changed in place @param {{all: import("./teach-bundle-draft.js").OwnCourse[], titles: Map<string, string>, changed: () => void}} options */
export function bundleForm(draft, { all, titles, changed }) {
	const shared = { draft, changed, noun: "bundle" };
	const texts = textFields({ ...shared, about: "What the courses have in common, and for whom they are." }), cost = priceFields(shared), courses = courseFields(draft, all, titles, changed);
	return {
		fields: () => [...texts.fields, ...courses.fields(), ...cost.fields],
		parts: [part("About the bundle", texts.element), part("Courses", courses.element), part("Price", cost.element),
			part("Who can see it", visibility(shared, ["Published", "Everyone finds it among the bundles and can buy it, if all its courses are published and none has ended."],
				["Not published", "Only you see it. Whoever has bought it keeps the courses, and an order that is open can still be paid."]))],
	};
}
