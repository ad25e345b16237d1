// The catalogue, with search, sort and filters. The address holds what the reader chooses.
import { fill, h, onValue } from "../dom.js";
import { setQuery } from "../router.js";
import { count, finalPrice } from "../format.js";
import { courseCard } from "./card.js";
import { empty } from "./states.js";

/** @typedef {import("../api.js").Course} Course */

/** @type {Record<string, [string, (a: Course, b: Course) => number]>} */
const orders = {
	popular: ["Most popular", (a, b) => b.totalEnrolledStudents - a.totalEnrolledStudents],
	rating: ["Best rated", (a, b) => b.averageRating - a.averageRating || b.totalRatings - a.totalRatings],
	newest: ["Newest", (a, b) => b.createdAt.localeCompare(a.createdAt)],
	cheapest: ["Price, lowest first", (a, b) => finalPrice(a) - finalPrice(b)],
	shortest: ["Shortest", (a, b) => a.totalDurationMinutes - b.totalDurationMinutes],
};
/** @type {Record<string, [string, (c: Course) => boolean]>} */
const prices = {
	"": ["Any price", () => true],
	free: ["Free", (c) => finalPrice(c) === 0],
	offer: ["Discounted", (c) => c.discount > 0 && c.coursePrice > 0],
};
/** @type {Record<string, [string, (c: Course) => boolean]>} */
const lengths = {
	"": ["Any length", () => true],
	short: ["Under 90 minutes", (c) => c.totalDurationMinutes < 90],
	long: ["90 minutes or more", (c) => c.totalDurationMinutes >= 90],
};

/** @param {Course[]} courses @param {URLSearchParams} query */
export function catalogue(courses, query) {
	const found = h("p", { class: "muted small", role: "status" });
	const grid = h("div", { class: "grid" });
	const draw = () => {
		const list = select(courses, query);
		found.textContent = list.length === courses.length ? count(list.length, "course") : `${list.length} of ${count(courses.length, "course")}`;
		if (list.length > 0) fillCards(grid, list);
		else fill(grid, nothing(courses.length > 0));
	};
	const change = (/** @type {string} */ name, /** @type {string} */ value) => {
		query.set(name, value);
		setQuery(query);
		draw();
	};
	draw();
	return [h("form", { class: "filters", role: "search", "aria-label": "Courses", onsubmit: (/** @type {Event} */ e) => e.preventDefault() },
		h("input", { class: "input filter-text", type: "search", "aria-label": "Search courses", placeholder: "Search courses", value: query.get("q") ?? "", oninput: onValue((text) => change("q", text)) }),
		choice("Price", prices, query.get("price") ?? "", (v) => change("price", v)),
		choice("Length", lengths, query.get("length") ?? "", (v) => change("length", v)),
		choice("Sort by", orders, query.get("sort") ?? "popular", (v) => change("sort", v))), found, h("h2", { class: "visually-hidden" }, "Courses"), grid];
}

let isFirstView = true;

/** Shows cards. When the site is opened, those of the first window are drawn first, the others right after them. @param {HTMLElement} grid @param {Course[]} list */
function fillCards(grid, list) {
	const cards = (/** @type {Course[]} */ part, /** @type {number} */ from) => part.map((course, i) => courseCard(course, from + i < 4));
	const first = isFirstView ? 6 : list.length;
	isFirstView = false;
	fill(grid, cards(list.slice(0, first), 0));
	const mark = grid.lastChild;
	if (first < list.length) setTimeout(() => grid.lastChild === mark && grid.append(...cards(list.slice(first), first)), 100);
}

/** @param {boolean} filtered */
const nothing = (filtered) => (filtered ? empty("No course matches", "Try fewer words, or any price and length.") : empty("No courses yet", "Educators have not published a course so far."));

/** @param {string} label @param {Record<string, [string, unknown]>} options @param {string} chosen @param {(value: string) => void} onchange */
const choice = (label, options, chosen, onchange) => h("select", { class: "input", "aria-label": label, onchange: onValue(onchange) },
	Object.entries(options).map(([value, [text]]) => h("option", { value, selected: value === chosen }, text)));

/** @param {Course[]} courses @param {URLSearchParams} query */
function select(courses, query) {
	const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const text = (/** @type {Course} */ c) => `${c.courseTitle} ${c.courseDescription} ${c.educatorId.name}`.toLowerCase();
	const [, cheap] = prices[query.get("price") ?? ""] ?? prices[""];
	const [, long] = lengths[query.get("length") ?? ""] ?? lengths[""];
	const [, order] = orders[query.get("sort") ?? ""] ?? orders.popular;
	return courses.filter((c) => cheap(c) && long(c) && words.every((word) => text(c).includes(word))).sort(order);
}
