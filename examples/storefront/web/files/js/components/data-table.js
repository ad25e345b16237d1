// A table for long lists: search as one types, columns that sort, and 100 rows at a time, so that
// thousands of rows stay quick. On a narrow screen each row becomes a block. The
// address holds what the reader searches for and sorts by. The server searches very long lists, and sends
// them in pages: the table then sorts and filters what it has.
import { h, onValue } from "../dom.js";
import { setQuery } from "../router.js";
import { foundRows } from "./found-rows.js";

/**
 * A column. order gives what rows are compared by; down means that the first click sorts the
 * largest or newest first.
 * @template T
 * @typedef {{name: string, title: string, cell: (row: T) => any, order?: (row: T) => string | number, down?: boolean, number?: boolean}} Column
 */

/**
 * text is what the search looks at; sort is a column's name, with "-" before it for the reverse. With
 * source, the server searches instead: rows is its first page, and nextCursor is that of the next one.
 * @template T
 * @typedef {{label: string, noun: [one: string, many: string], rows: T[], nextCursor?: string | null, columns: Column<T>[], text?: (row: T) => string, query: URLSearchParams, sort: string, filter?: Filter<T>, source?: Source<T>, place?: import("../place.js").Place}} Options
 *   with the place of a visit, the table begins with as many rows as the reader had seen
 */

/**
 * find asks the server for a page of the rows that have the words; nothing is shown if there are none;
 * hint says in the field what the words may be.
 * @template T
 * @typedef {{find: (words: string, cursor?: string) => Promise<{rows: T[], nextCursor?: string | null}>, nothing: (words: string) => Node, hint: string}} Source
 */

/**
 * Without keep the server filters, too: find reads the value from the query.
 * @template T
 * @typedef {{label: string, name: string, options: [value: string, text: string][], keep?: (row: T, value: string) => boolean}} Filter
 */

/** @template T @param {Options<T>} options */
export function dataTable(options) {
	const { label, columns, query, sort, filter, source } = options;
	const { body, status, none, more, draw, search } = foundRows(options);
	const change = (/** @type {string} */ name, /** @type {string} */ value) => {
		query.set(name, value);
		setQuery(query);
		if (name === "q") search();
		else if (name === filter?.name && !filter.keep) search(0);
		else draw();
	};
	const headers = headerRow(columns, () => query.get("sort") ?? sort, (value) => change("sort", value));
	draw();
	return h("div", { class: "stack" }, tools(label, query, filter, change, source?.hint), status,
		h("div", { class: "card table-card" }, h("table", { class: "data-table", role: "table", "aria-label": label }, h("thead", { role: "rowgroup" }, headers), body)),
		none, more);
}

/** @param {string} label @param {URLSearchParams} query @param {{label: string, name: string, options: [value: string, text: string][]} | undefined} filter @param {(name: string, value: string) => void} change @param {string} [hint] */
function tools(label, query, filter, change, hint = "Search") {
	const search = h("input", { class: "input", type: "search", "aria-label": `Search ${label.toLowerCase()}`, placeholder: hint, maxLength: 200, value: query.get("q") ?? "", oninput: onValue((words) => change("q", words)) });
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
