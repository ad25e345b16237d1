// A list of any length, read from the server page by page: the next page when the reader asks for it.
import { fill, h, load } from "../dom.js";
import { actionButton } from "./button.js";
import { moreText, readOn } from "./read-on.js";

/**
 * nothing is shown while the list is empty.
 * @template T
 * @typedef {{read: (cursor?: string) => Promise<{rows: T[], nextCursor: string | null}>, row: (row: T, remove: (gone: (row: T) => boolean) => void) => HTMLElement, nothing: () => Node, list?: string, place?: import("../place.js").Place}} Options
 *   row makes an li; remove takes the rows for which gone is true out of what is shown; list is the class of the list;
 *   with the place of a visit, the list begins with as many rows as the reader had seen
 */

/** @template T @param {Options<T>} options */
export const pagedList = (options) => load(() => readOn(options.read, undefined, options.place?.rows), (first) => new PagedList(options, first).element);

/** @template T */
class PagedList {
	/** @param {Options<T>} options @param {{rows: T[], nextCursor: string | null}} first */
	constructor(options, first) {
		/** @type {Options<T>} */
		this.options = options;
		/** @type {string | null} */
		this.cursor = null;
		/** @type {Map<T, HTMLElement>} */
		this.shown = new Map();
		this.list = h("ul", { class: options.list ?? "stack plain-list" });
		this.more = actionButton("Show more", () => this.readMore());
		this.element = h("div", { class: "stack" });
		this.append(first);
	}

	/** @param {{rows: T[], nextCursor: string | null}} page */
	append({ rows, nextCursor }) {
		this.cursor = nextCursor;
		const made = rows.map((row) => this.options.row(row, (gone) => this.remove(gone)));
		rows.forEach((row, i) => this.shown.set(row, made[i]));
		this.list.append(...made);
		this.draw();
		return made;
	}

	draw() {
		if (this.shown.size === 0 && !this.cursor) fill(this.element, this.options.nothing());
		else if (this.list.parentElement !== this.element) fill(this.element, this.list, h("div", {}, this.more));
		this.more.hidden = !this.cursor;
		this.more.textContent = moreText(this.shown.size === 0);
		if (this.options.place) this.options.place.rows = this.shown.size;
	}

	async readMore() {
		const [first] = this.append(await readOn(this.options.read, this.cursor ?? undefined));
		if (first) focus(first);
	}

	/** Takes rows away; the focus, which was in one of them, goes to the next. @param {(row: T) => boolean} gone */
	remove(gone) {
		const rows = [...this.shown.keys()].filter(gone);
		const next = rows.length > 0 ? this.shown.get(rows[0])?.nextElementSibling : null;
		for (const row of rows) {
			this.shown.get(row)?.remove();
			this.shown.delete(row);
		}
		this.draw();
		focus(next instanceof HTMLElement && next.isConnected ? next : this.element);
	}
}

/** @param {HTMLElement} element */
function focus(element) {
	element.tabIndex = -1;
	element.focus();
}
