// The head of a list over all courses of an educator: which course, and whether what is answered is
// shown too. Both are in the address.
import { h, onValue } from "../dom.js";
import { setQuery } from "../router.js";

/** @typedef {{courseId?: string, answered?: "true" | "false"}} Filter */

/** What the address asks for. @param {URLSearchParams} query @returns {Filter} */
export const filterOf = (query) => ({ courseId: query.get("courseId") || undefined, answered: query.get("all") ? undefined : "false" });

/** @param {{_id: string, courseTitle: string}[]} courses @param {URLSearchParams} query @param {() => void} show */
export function courseFilter(courses, query, show) {
	const choose = (/** @type {string} */ name) => (/** @type {string} */ value) => { query.set(name, value); setQuery(query); show(); };
	const select = (/** @type {string} */ name, /** @type {string} */ text, /** @type {[string, string][]} */ options) => h("label", { class: "field" }, h("span", { class: "field-name" }, text),
		h("select", { class: "input", onchange: onValue(choose(name)) }, options.map(([value, label]) => h("option", { value, selected: value === (query.get(name) ?? "") }, label))));
	return h("div", { class: "price-fields" }, select("courseId", "Course", [["", "All courses"], .../** @type {[string, string][]} */ (courses.map(({ _id, courseTitle }) => [_id, courseTitle]))]),
		select("all", "Show", [["", "What waits for an answer"], ["yes", "All"]]));
}
