// The catalogue, with search, sort and filters. The address holds what the reader chooses. All courses
// arrive with the page, which sorts and filters them; words are searched by the server.
import { fill, h, onValue } from "../dom.js";
import { setQuery } from "../router.js";
import { count, finalPrice } from "../format.js";
import { actionButton } from "./button.js";
import { courseCard } from "./card.js";
import { CourseSearch } from "./course-search.js";
import { moreText, noneYet } from "./read-on.js";
import { empty, failed } from "./states.js";

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

/** @param {Course[]} courses @param {import("../router.js").Visit} visit */
export function catalogue(courses, { query, signal, place }) {
	const { parts, draw, search } = results(courses, query, signal, place);
	const change = (/** @type {string} */ name, /** @type {string} */ value) => {
		query.set(name, value);
		setQuery(query);
		if (name === "q" || name === "sort") search.start();
		draw();
	};
	search.start(0, place.rows);
	draw();
	return [h("form", { class: "filters", role: "search", "aria-label": "Courses", onsubmit: (/** @type {Event} */ e) => e.preventDefault() },
		h("input", { class: "input filter-text", type: "search", "aria-label": "Search courses", placeholder: "Search courses", maxLength: 200, value: query.get("q") ?? "", oninput: onValue((text) => change("q", text)) }),
		choice("Price", prices, query.get("price") ?? "", (v) => change("price", v)),
		choice("Length", lengths, query.get("length") ?? "", (v) => change("length", v)),
		choice("Sort by", orders, query.get("sort") ?? "popular", (v) => change("sort", v))), ...parts];
}

/** The courses that match, of all or of those that the server has found. @param {Course[]} courses @param {URLSearchParams} query @param {AbortSignal} signal @param {import("../place.js").Place} place */
function results(courses, query, signal, place) {
	const found = h("p", { class: "muted small", role: "status" }, "\u00a0");
	const grid = h("div", { class: "grid" });
	const more = actionButton("Show more", async () => {
		const shown = grid.children.length;
		await search.read(search.cursor ?? undefined);
		const next = grid.children[shown]?.querySelector("a");
		if (more.hidden) next?.focus();
	});
	const draw = () => {
		const { courses: read, cursor, isPending, problem } = search;
		const isSearch = search.words() !== "";
		grid.setAttribute("aria-busy", String(isPending));
		more.hidden = !isSearch || isPending || cursor === null || problem !== null;
		if (isPending && !grid.firstChild) fill(grid, placeholders());
		if (isPending) return; // what was shown stays until the answer arrives
		place.rows = isSearch ? read.length : 0;
		more.textContent = moreText(read.length === 0);
		const list = isSearch ? select(read, query, search.order() !== undefined) : select(courses, query, false);
		found.textContent = problem === null ? countText(list.length, isSearch && cursor !== null ? read.length : 0, courses.length) : "";
		if (problem !== null) fill(grid, failed(problem, () => { search.start(0); draw(); }));
		else if (list.length > 0) fillCards(grid, list);
		else if (isSearch && cursor !== null && read.length === 0) fill(grid, h("p", { class: "state" }, noneYet("courses")));
		else fill(grid, nothing(courses.length > 0));
	};
	const search = new CourseSearch(query, signal, draw);
	return { parts: [found, h("h2", { class: "visually-hidden" }, "Courses"), h("div", { class: "stack" }, grid, more)], draw, search };
}

/** What the grid shows before the first answer. */
const placeholders = () => Array.from({ length: 4 }, () => h("div", { class: "card skeleton course-placeholder" }));

/** @param {number} found @param {number} read how many have arrived, if the server has more, else 0 @param {number} all */
function countText(found, read, all) {
	if (read > 0) return found === read ? `The first ${count(read, "course")}` : `${found} of the first ${count(read, "course")}`;
	return found === all ? count(all, "course") : `${found} of ${count(all, "course")}`;
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

/** The courses that pass the filters, in order. @param {Course[]} courses @param {URLSearchParams} query @param {boolean} isOrdered whether they are in order already */
function select(courses, query, isOrdered) {
	const [, cheap] = prices[query.get("price") ?? ""] ?? prices[""];
	const [, long] = lengths[query.get("length") ?? ""] ?? lengths[""];
	const [, order] = orders[query.get("sort") ?? ""] ?? orders.popular;
	const list = courses.filter((c) => cheap(c) && long(c));
	return isOrdered ? list : list.sort(order);
}
