// Where the reader was on each page of the history: how far it was scrolled, and how many rows of a
// list were shown that goes on when the reader asks for it. It is kept in this tab, so that the way
// back from another site and a reload find it too.

/** @typedef {{top: number, rows: number}} Place top is in pixels; rows is 0 if there is no such list */

const placesKey = "storefront.places";
/** How many pages of the history keep their place. */
const mostPlaces = 50;
/** Milliseconds after which a page has all its data if nothing of it changes, and after which it is given up. */
const settled = 400, patience = 20_000;

/** By id of the entry of the history, the latest last. @type {Map<string, Place>} */
const places = new Map(storedPlaces());

/** @returns {[string, Place][]} */
function storedPlaces() {
	try {
		return JSON.parse(sessionStorage.getItem(placesKey) || "[]");
	} catch {
		return [];
	}
}

/** The place on an entry of the history, or the top. @param {string} entry @returns {Place} */
export const placeOf = (entry) => ({ ...(places.get(entry) ?? topPlace) });
const topPlace = { top: 0, rows: 0 };

/** @param {string} entry @param {Place} place */
export function keepPlace(entry, place) {
	places.delete(entry);
	places.set(entry, { ...place });
	sessionStorage.setItem(placesKey, JSON.stringify([...places].slice(-mostPlaces)));
}

/** The place that a page is being scrolled to, or -1. */
let target = -1;

/** How far the page is scrolled, or will be as soon as its data has arrived. */
export const scrolled = () => (target < 0 ? scrollY : target);

/**
 * Scrolls to a place now and whenever a page changes, until its data has arrived: before that it may
 * be too short. It ends when the reader scrolls or types.
 * @param {HTMLElement} page
 * @param {number} top
 * @param {AbortSignal} signal aborted when the reader leaves the page
 */
export function scrollWhenLongEnough(page, top, signal) {
	target = -1;
	scrollTo(0, top);
	if (top === 0) return;
	target = top;
	page.toggleAttribute("data-returning", true); // the style sheet then gives all parts their heights
	const ended = new AbortController();
	const end = () => ended.abort();
	let quiet = 0;
	const again = () => {
		scrollTo(0, top);
		clearTimeout(quiet);
		if (!page.querySelector('[aria-busy="true"], .skeleton')) quiet = setTimeout(end, settled);
	};
	const sizes = new ResizeObserver(again), changes = new MutationObserver(again);
	sizes.observe(page);
	changes.observe(page, { subtree: true, childList: true, attributeFilter: ["aria-busy"] });
	const late = setTimeout(end, patience);
	ended.signal.addEventListener("abort", () => {
		[quiet, late].forEach(clearTimeout);
		sizes.disconnect();
		changes.disconnect();
		target = -1;
		page.removeAttribute("data-returning");
	});
	for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(type, end, { passive: true, signal: ended.signal });
	signal.addEventListener("abort", end);
	again();
}
