// The card of a course, and small parts that cards have.
import { h } from "../dom.js";
import { count, duration, finalPrice, initials, number, price } from "../format.js";
import { pathTo } from "../paths.js";
import { stars } from "./stars.js";

/** The picture of a person, or the initials. @param {{name: string, imageUrl?: string}} person @param {string} [size] */
export function avatar(person, size = "") {
	const box = h("span", { class: `avatar ${size}`, "aria-hidden": "true" }, h("span", {}, initials(person.name)));
	if (person.imageUrl) {
		const picture = h("img", { loading: "lazy", src: person.imageUrl, alt: "", onload: () => box.replaceChildren(picture), onerror: () => picture.remove() });
		box.append(picture);
	}
	return box;
}

/** The price of a course, with the one before the discount. @param {{coursePrice: number, discount: number}} course */
export function priceTag(course) {
	const final = finalPrice(course);
	if (course.discount === 0 || course.coursePrice === 0) return h("span", { class: "price" }, h("strong", {}, price(final)));
	return h("span", { class: "price" }, h("strong", {}, price(final)), " ",
		h("s", { class: "muted small" }, h("span", { class: "visually-hidden" }, "before the discount "), price(course.coursePrice)), " ",
		h("span", { class: "badge good" }, `−${number(course.discount)} %`));
}

/** The picture of a course, in a box of a fixed shape. @param {{courseThumbnail: string}} course @param {boolean} [eager] */
export function thumbnail(course, eager = false) {
	return h("div", { class: "thumbnail" }, h("img", { src: course.courseThumbnail, alt: "", width: 480, height: 270, loading: eager ? "eager" : "lazy", decoding: "async", onerror: (/** @type {Event} */ e) => { /** @type {HTMLElement} */ (e.target).hidden = true; } }));
}

/** A course of the catalogue. @param {import("../api.js").Course} course @param {boolean} [eager] whether its picture is in the first view */
export function courseCard(course, eager = false) {
	return h("article", { class: "card course-card" },
		thumbnail(course, eager),
		h("div", { class: "course-card-text" },
			h("h3", {}, h("a", { class: "cover-link", href: pathTo.course(course._id) }, h("bdi", {}, course.courseTitle))),
			h("p", { class: "muted small" }, h("bdi", {}, course.educatorId.name)),
			h("p", { class: "row small" }, stars(course), h("span", { class: "muted" }, `${count(course.totalLectures, "lecture")}, ${duration(course.totalDurationMinutes)}`)),
			h("p", { class: "course-card-price" }, priceTag(course))));
}
