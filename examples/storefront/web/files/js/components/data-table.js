// A table for long lists: search as one types, columns that sort, and 100 rows at a time, so that
// thousands of rows stay quick. On a narrow screen each row becomes a block. The
// address holds what the reader searches for and sorts by.
import { fill, h, onValue } from "../dom.js";
import { setQuery } from "../router.js";
import { count, number } from "../format.js";

const portion = 100;
const collator = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

/**
 * A column. order gives what rows are compared by; down means that the first click sorts the
 * largest or newest first.
 * @template T
 * @typedef {{name: string, title: string, cell: (row: T) => any, order?: (row: T) => string | number, down?: boolean, number?: boolean}} Column
 */

/**
 * text is what the search looks at; sort is a column's name, with "-" before it for the reverse.
 * @template T
 * @typedef {{label: string, noun: [one: string, many: string], rows: T[], columns: Column<T>[], text: (row: T) => string, query: URLSearchParams, sort: string, filter?: Filter<T>}} Options
 */

/**
 * @template T
 * @typedef {{label: string, name: string, options: [value: string, text: string][], keep: (row: T, value: string) => boolean}} Filter
 */

/** @template T @param {Options<T>} options */
export function dataTable(options) {
	const { label, columns, query, sort, filter } = options;
	const { body, status, none, more, draw } = foundRows(options);
	const change = (/** @type {string} */ name, /** @type {string} */ value) => {
		query.set(name, value);
		setQuery(query);
		draw();
	};
	const headers = headerRow(columns, () => query.get("sort") ?? sort, (value) => change("sort", value));
	draw();
	return h("div", { class: "stack" }, tools(label, query, filter, change), status,
		h("div", { class: "card table-card" }, h("table", { class: "data-table", role: "table", "aria-label": label }, h("thead", { role: "rowgroup" }, headers), body)),
		none, more);
}

/** The rows that match the query, a portion at a time, and what is said of their number. draw shows them anew. @template T @param {Options<T>} options */
function foundRows({ noun, rows, columns, text, query, sort, filter }) {
	const all = rows.map((row) => ({ row, text: text(row).toLowerCase() }));
	const body = h("tbody", { role: "rowgroup" });
	const status = h("p", { class: "muted small", role: "status" });
	const none = h("p", { class: "state", hidden: true }, `None of the ${noun[1]} matches. Try fewer words${filter ? `, or another ${filter.label.toLowerCase()}` : ""}.`);
	const more = h("button", { class: "button", type: "button", onclick: () => showMore() });
	/** @type {T[]} */
	let found = [];

	const append = () => {
		const next = found.slice(body.children.length, body.children.length + portion).map((row) => rowOf(row, columns));
		body.append(...next);
		const left = found.length - body.children.length;
		status.textContent = countText(found.length, rows.length, body.children.length, noun);
		more.textContent = `Show ${number(Math.min(portion, left))} more`;
		more.hidden = left === 0;
		none.hidden = found.length > 0;
		return next;
	};
	const showMore = () => {
		const [first] = append();
		if (more.hidden) focusRow(first);
	};
	const draw = () => {
		found = sorted(matching(all, query, filter), columns, query.get("sort") ?? sort);
		fill(body);
		append();
	};
	return { body, status, none, more, draw };
}

/** Moves the focus to a row, because the button that had it is hidden. @param {HTMLElement} row */
function focusRow(row) {
	row.tabIndex = -1;
	row.focus();
}

/** The rows that have all words of the search and pass the filter. @template T @param {{row: T, text: string}[]} all @param {URLSearchParams} query @param {Filter<T>} [filter] */
function matching(all, query, filter) {
	const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const value = filter ? query.get(filter.name) : "";
	return all.filter((each) => words.every((word) => each.text.includes(word)) && (!value || !filter || filter.keep(each.row, value))).map((each) => each.row);
}

/** How many rows there are. @param {number} found @param {number} all @param {number} shown @param {[one: string, many: string]} noun */
function countText(found, all, shown, noun) {
	const text = found === all ? count(all, ...noun) : `${number(found)} of ${count(all, ...noun)}`;
	return shown < found ? `${text}, the first ${number(shown)} shown` : text;
}

/** @template T @param {T} row @param {Column<T>[]} columns */
const rowOf = (row, columns) => h("tr", { role: "row" }, columns.map((column) =>
	h("td", { role: "cell", class: column.number ? "number" : "", "data-label": column.title }, h("div", {}, column.cell(row)))));

/** @param {string} label @param {URLSearchParams} query @param {{label: string, name: string, options: [value: string, text: string][]} | undefined} filter @param {(name: string, value: string) => void} change */
function tools(label, query, filter, change) {
	const search = h("input", { class: "input", type: "search", "aria-label": `Search ${label.toLowerCase()}`, placeholder: "Search", value: query.get("q") ?? "", oninput: onValue((words) => change("q", words)) });
	const select = filter && h("select", { class: "input", "aria-label": filter.label, onchange: onValue((value) => change(filter.name, value)) },
		filter.options.map(([value, text]) => h("option", { value, selected: value === (query.get(filter.name) ?? "") }, text)));
	return h("form", { class: "table-tools", role: "search", "aria-label": label, onsubmit: (/** @type {Event} */ e) => e.preventDefault() }, search, select);
}

/**
 * The headings; those of columns with an order are buttons.
 * @template T
 * @param {Column<T>[]} columns @param {() => string} current @param {(sort: string) => void} choose
 */
function headerRow(columns, current, choose) {
	const cells = columns.map((column) => h("th", { role: "columnheader", scope: "col", class: column.number ? "number" : "" }, column.order ? h("button", { class: "sort", type: "button", onclick: () => { choose(next(column, current())); mark(); } }, column.title) : column.title));
	const mark = () => cells.forEach((cell, i) => {
		const name = columns[i].name;
		if (current() === name) cell.setAttribute("aria-sort", "ascending");
		else if (current() === "-" + name) cell.setAttribute("aria-sort", "descending");
		else cell.removeAttribute("aria-sort");
	});
	mark();
	return h("tr", { role: "row" }, cells);
}

/** What a click on a heading sorts by. @param {{name: string, down?: boolean}} column @param {string} current */
function next({ name, down }, current) {
	if (current === name) return "-" + name;
	if (current === "-" + name) return name;
	return down ? "-" + name : name;
}

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
