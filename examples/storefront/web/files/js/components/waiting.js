// What waits for the reader: a list of links with numbers, or nothing.
import { h } from "../dom.js";
import { number } from "../format.js";

/** one and many say what waits, such as "question to answer". @typedef {{waits: number, one: string, many: string, href: string}} Waiting */

/** @param {Waiting[]} all */
export function waitingList(all) {
	const some = all.filter(({ waits }) => waits > 0);
	if (some.length === 0) return null;
	return h("section", { class: "notice warn waiting" }, h("h2", {}, "Waiting for you"),
		h("ul", { class: "plain-list row" }, some.map(({ waits, one, many, href }) => h("li", {}, h("a", { class: "button", href }, `${number(waits)} ${waits === 1 ? one : many}`)))));
}
