// The bundles of own courses, or all of them for administrators.
import { h } from "../dom.js";
import { count, day } from "../format.js";
import { bundlePicture, bundlePrice } from "../components/bundle-card.js";
import { pagedList } from "../components/paged-list.js";
import { staffHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";
import { ownBundles } from "./teach-bundle-draft.js";

export const title = "Bundles";

/** @param {import("../router.js").Visit} visit */
export const page = ({ signal, place }) => [
	...staffHead("Bundles", "Several courses that are sold together at one price."),
	h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "All bundles"), newBundle("")),
		pagedList({ read: ownBundles(signal), row, nothing: () => empty("No bundle yet", "Choose two courses or more, and what they cost together.", newBundle("primary")), list: "card list", place })),
];

/** @param {string} kind */
const newBundle = (kind) => h("a", { class: `button ${kind}`, href: `${pathTo.ownBundles()}/new` }, "Make a bundle");

/** @param {import("./teach-bundle-draft.js").Bundle} bundle */
function row(bundle) {
	return h("li", { class: "own-course" }, bundlePicture(bundle),
		h("div", { class: "own-course-text" }, h("h3", {}, h("bdi", {}, bundle.title)), h("p", { class: "muted small" }, `${count(bundle.courses.length, "course")} · added ${day(bundle.createdAt)}`)),
		h("div", { class: "own-course-end row" }, bundle.isPublished ? bundlePrice(bundle) : h("span", { class: "badge warn" }, "Not published"),
			h("a", { class: "button small", href: pathTo.editBundle(bundle._id), "aria-label": `Edit ${bundle.title}` }, "Edit")));
}
