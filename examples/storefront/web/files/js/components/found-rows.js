// The rows of a table that match what the reader searches for and filters by, a portion at a time.
import { fill, h } from "../dom.js";
import { count, number } from "../format.js";
import { actionButton } from "./button.js";
import { moreText, noneYet, readOn } from "./read-on.js";
import { failed } from "./states.js";

/** @template T @typedef {import("./data-table.js").Options<T>} Options */
/** @template T @typedef {import("./data-table.js").Column<T>} Column */

const portion = 100;
const pause = 400; // milliseconds without a key after which the server is asked, because it limits requests
const collator = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

/**
 * The parts of a table with its rows. draw shows them anew after another choice, search after other words.
 * @template T @param {Options<T>} options
 */
export function foundRows(options) {
	const rows = new FoundRows(options);
	return { body: rows.body, status: rows.status, none: rows.none, more: rows.more, draw: () => rows.draw(Math.max(portion, options.place?.rows ?? 0)), search: (/** @type {number} */ wait = pause) => rows.search(wait) };
}

/** @template T */
class FoundRows {
	/** @param {Options<T>} options */
	constructor(options) {
		/** @type {Options<T>} */
		this.options = options;
		this.body = h("tbody", { role: "rowgroup" });
		this.status = h("p", { class: "muted small", role: "status" });
		this.none = h("div", { hidden: true });
		this.more = actionButton("Show more", () => this.showMore());
		/** @type {T[]} */
		this.rows = options.rows;
		const { text, source } = options;
		this.texts = text && !source ? options.rows.map((row) => text(row).toLowerCase()) : null;
		/** @type {string | null} */
		this.cursor = options.nextCursor ?? null;
		/** @type {T[]} */
		this.found = [];
		/** How often the words have changed: an answer for other words comes too late. */
		this.turn = 0;
	}

	words() { return (this.options.query.get("q") ?? "").trim(); }

	/** Shows the first rows that match. */
	draw(most = portion) {
		const { columns, query, sort } = this.options;
		this.found = sorted(this.matching(), columns, query.get("sort") ?? sort);
		fill(this.body);
		this.append(most);
	}

	/** @param {number} most */
	append(most) {
		const { body, found, cursor } = this;
		const next = found.slice(body.children.length, body.children.length + most).map((row) => rowOf(row, this.options.columns));
		body.append(...next);
		const left = found.length - body.children.length;
		this.status.textContent = this.countText();
		this.more.textContent = left > 0 ? `Show ${number(Math.min(portion, left))} more` : moreText(this.rows.length === 0);
		this.more.hidden = left === 0 && cursor === null;
		this.none.hidden = found.length > 0;
		if (found.length === 0) fill(this.none, this.nothing());
		if (this.options.place) this.options.place.rows = body.children.length;
		return next;
	}

	async showMore() {
		const shown = this.body.children.length;
		const { turn } = this;
		if (shown < this.found.length) this.append(portion);
		else if (!(await this.read(this.cursor ?? undefined)) || turn !== this.turn) return;
		else this.draw(shown + portion);
		const first = this.body.children[shown];
		if (this.more.hidden && first instanceof HTMLElement) focusRow(first);
	}

	/** Finds the rows that have the words now. The server is asked when the reader pauses. @param {number} wait in milliseconds */
	search(wait) {
		if (!this.options.source) return this.draw();
		const mine = ++this.turn;
		this.more.hidden = true; // its cursor belongs to the words before
		this.body.setAttribute("aria-busy", "true");
		setTimeout(() => mine === this.turn && this.searchServer(), wait);
	}

	async searchServer() {
		const mine = this.turn;
		try {
			if (await this.read()) this.draw();
		} catch (error) {
			if (mine === this.turn) this.showProblem(error);
		} finally {
			if (mine === this.turn) this.body.removeAttribute("aria-busy");
		}
	}

	/** Reads on, and returns whether the rows are for the words that the reader still wants. @param {string} [cursor] */
	async read(cursor) {
		const mine = this.turn, words = this.words(), { source } = this.options;
		if (!source) return false;
		const page = await readOn((from) => source.find(words, from), cursor);
		if (mine !== this.turn) return false;
		this.rows = cursor === undefined ? page.rows : [...this.rows, ...page.rows];
		this.cursor = page.nextCursor;
		return true;
	}

	/** Shows why there are no rows. @param {unknown} error */
	showProblem(error) {
		if (/** @type {Error} */ (error).name === "AbortError") return; // the reader has left the page
		[this.rows, this.cursor] = [[], null];
		this.draw();
		this.status.textContent = "";
		fill(this.none, failed(error, () => this.search(0)));
	}

	/** The rows that have all words of the search, unless the server has searched, and pass the filter. */
	matching() {
		const { texts } = this;
		const { query, filter } = this.options;
		const words = texts ? this.words().toLowerCase().split(/\s+/).filter(Boolean) : [];
		const value = filter ? query.get(filter.name) : "";
		return this.rows.filter((row, i) => words.every((word) => texts?.[i].includes(word)) && (!value || !filter?.keep || filter.keep(row, value)));
	}

	/** How many rows there are; if the server has more, of those that have arrived. */
	countText() {
		const { noun } = this.options;
		const [found, shown, isPart] = [this.found.length, this.body.children.length, this.cursor !== null];
		const all = `${isPart ? "the first " : ""}${count(this.rows.length, ...noun)}`;
		const text = found === this.rows.length ? all.replace(/^t/, "T") : `${number(found)} of ${all}`;
		return shown < found ? `${text}, the first ${number(shown)} shown` : text;
	}

	/** What is shown if there are no rows, with what the reader can do. */
	nothing() {
		const { noun, filter, source } = this.options;
		if (source && this.rows.length === 0) return this.cursor === null ? source.nothing(this.words()) : h("p", { class: "state" }, noneYet(noun[1]));
		const other = filter ? `another ${filter.label.toLowerCase()}` : "";
		if (this.cursor !== null) return h("p", { class: "state" }, `None of the first ${count(this.rows.length, ...noun)} matches. Show more, or choose ${other}.`);
		return h("p", { class: "state" }, `None of the ${noun[1]} matches. Try fewer words${other && `, or ${other}`}.`);
	}
}

/** Moves the focus to a row, because the button that had it is hidden. @param {HTMLElement} row */
function focusRow(row) {
	row.tabIndex = -1;
	row.focus();
}

/** @template T @param {T} row @param {Column<T>[]} columns */
const rowOf = (row, columns) => h("tr", { role: "row" }, columns.map((column) =>
	h("td", { role: "cell", class: column.number ? "number" : "", "data-label": column.title }, h("div", {}, column.cell(row)))));

/** @template T @param {T[]} rows @param {Column<T>[]} columns @param {string} sort */
function sorted(rows, columns, sort) {
	const reverse = sort.startsWith("-");
	const order = columns.find((column) => column.name === sort.replace(/^-/, ""))?.order;
	if (!order) return rows;
	const keyed = rows.map((row) => ({ row, key: order(row) }));
	keyed.sort((a, b) => (reverse ? -1 : 1) * compare(a.key, b.key));
	return keyed.map((each) => each.row);
}

/** @param {string | number} a @param {string | number} b */
const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b)));
