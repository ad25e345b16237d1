// Ratings: as a figure, and as a choice of one to five stars.
import { h, svg } from "../dom.js";
import { number } from "../format.js";

const outline = "M12 2.6l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5-5.8-3-5.8 3 1.1-6.5L2.6 9.4l6.5-.9z";

/** @param {boolean} full */
const star = (full) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: outline, fill: full ? "currentColor" : "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linejoin": "round" }));

/** The average rating of a course, or that there is none. @param {{averageRating: number, totalRatings: number}} course */
export function stars(course) {
	if (course.totalRatings === 0) return h("span", { class: "muted small" }, "Not rated yet");
	return h("span", { class: "stars" }, star(true), h("span", {}, number(course.averageRating)),
		h("span", { class: "muted small" }, h("span", { class: "visually-hidden" }, "of 5 stars, "), `(${number(course.totalRatings)})`, h("span", { class: "visually-hidden" }, " ratings")));
}

/**
 * A choice of one to five stars.
 * @param {number} chosen 0 for none
 * @param {(rating: number) => void} choose
 */
export function starChoice(chosen, choose) {
	const name = `rating-${Math.random().toString(36).slice(2)}`;
	const group = h("fieldset", { class: "star-choice", role: "radiogroup" }, h("legend", { class: "visually-hidden" }, "Your rating"));
	const draw = (/** @type {number} */ upTo) => group.querySelectorAll("svg").forEach((old, i) => old.replaceWith(star(i < upTo)));
	for (let n = 1; n <= 5; n++) {
		const input = h("input", { type: "radio", name, value: String(n), class: "visually-hidden", checked: n === chosen, onchange: () => { draw(n); choose(n); } });
		group.append(h("label", {}, input, h("span", { class: "visually-hidden" }, `${n} of 5 stars`), star(n <= chosen)));
	}
	return group;
}
