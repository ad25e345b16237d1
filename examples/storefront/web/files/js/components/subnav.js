// Links between the pages of one part of the site, such as those for educators.
import { h } from "../dom.js";

/**
 * The link of the current page is marked.
 * @param {string} label for screen readers
 * @param {[path: string, text: string][]} links
 */
export function subnav(label, links) {
	const row = h("nav", { class: "tabs subnav", "aria-label": label },
		links.map(([path, text]) => h("a", { href: path, "aria-current": path === location.pathname ? "page" : null }, text)));
	requestAnimationFrame(() => showCurrent(row));
	return row;
}

/** Scrolls a row that is wider than the screen to the link of the current page. @param {HTMLElement} row */
function showCurrent(row) {
	const current = /** @type {HTMLElement | null} */ (row.querySelector("[aria-current]"));
	if (current) row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
}
