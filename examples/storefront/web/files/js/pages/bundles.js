// The bundles that are for sale.
import { h, load } from "../dom.js";
import { allCourses, call } from "../api.js";
import { count, price } from "../format.js";
import { pathTo } from "../paths.js";
import { bundlePicture, bundlePrice, savings } from "../components/bundle-card.js";
import { catalogueHead } from "../components/catalogue-head.js";
import { pagedList } from "../components/paged-list.js";
import { empty } from "../components/states.js";

export const title = "Bundles";

/** @typedef {import("../components/bundle-card.js").Bundle} Bundle */

/** @param {import("../router.js").Visit} visit */
export const page = ({ signal, place }) => [
	h("header", { class: "page-head area-head" }, h("div", {}, h("h1", {}, "Bundles"), h("p", { class: "lead" }, "Several courses together at one price."))),
	catalogueHead(),
	h("section", {}, h("h2", { class: "visually-hidden" }, "All bundles"), load(allCourses, (courses) => pagedList({
		read: async (cursor) => {
			const { bundles: rows, nextCursor } = await call("GET /api/bundle/all", { query: { limit: 24, cursor }, signal });
			return { rows, nextCursor };
		},
		row: (bundle) => h("li", {}, card(bundle, courses)), nothing: () => empty("No bundles now", "Educators offer no courses together so far.", h("a", { class: "button primary", href: "/" }, "See all courses")), list: "grid plain-list bundles", place,
	}))),
];

/** @param {Bundle} bundle @param {import("../api.js").Course[]} courses */
function card(bundle, courses) {
	const saved = savings(bundle, courses);
	return h("article", { class: "card course-card" }, bundlePicture(bundle),
		h("div", { class: "course-card-text" },
			h("h3", {}, h("a", { class: "cover-link", href: pathTo.bundle(bundle._id) }, h("bdi", {}, bundle.title))),
			h("p", { class: "muted small" }, `${count(bundle.courses.length, "course")}: `, contents(bundle)),
			h("p", { class: "course-card-price" }, bundlePrice(bundle), saved > 0 && h("span", { class: "small saved" }, `You save ${price(saved)}`))));
}

/** The titles of the first courses. @param {Bundle} bundle */
function contents({ courses }) {
	const most = 4;
	return [...courses.slice(0, most).flatMap(({ courseTitle }, i) => [i > 0 ? ", " : "", h("bdi", {}, courseTitle)]), courses.length > most ? "…" : ""];
}
