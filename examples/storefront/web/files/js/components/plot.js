// Plots: columns (by day) and bars (by name), drawn as SVG. The value of each column
// or bar is written beside it, and the table below holds the same figures.
import { h, svg } from "../dom.js";
import { number } from "../format.js";

/** @typedef {{label: string, value: number}} Row */

/** The height of the largest column, of the text above it, and of the labels below, in pixels. */
const column = 150, above = 26, below = 44;

/**
 * A plot with its table.
 * @param {{title: string, unit: string, rows: Row[], kind: "columns" | "bars", format?: (value: number) => string, labels?: string}} options
 *   labels is the heading of the table's first column, unit of its second
 * @returns {HTMLElement}
 */
export function plot({ title, unit, rows, kind, format = number, labels = "Name" }) {
	const drawn = kind === "columns" ? columns(rows, format) : bars(rows, format);
	return h("figure", { class: "plot" },
		h("figcaption", {}, h("strong", {}, title), " ", h("span", { class: "muted small" }, unit)),
		h("div", { role: "img", "aria-label": summary(title, rows, format) }, drawn),
		h("details", {}, h("summary", {}, "Show the table"), table(title, rows, format, labels, unit)));
}

/** The largest value, or 1 if there is none. @param {Row[]} rows */
const largest = (rows) => Math.max(0, ...rows.map((row) => row.value)) || 1;

/** Widths are parts of the whole, so that the plot fits every screen and its text keeps its size; each word of a label has a line of its own. @param {Row[]} rows @param {(value: number) => string} format */
function columns(rows, format) {
	const top = largest(rows), step = 100 / rows.length, base = above + column;
	const drawn = rows.flatMap(({ label, value }, i) => {
		const height = value > 0 ? Math.max(2, (column * value) / top) : 0, middle = `${(i + 0.5) * step}%`;
		return [
			svg("rect", { class: "plot-mark", x: `${(i + 0.2) * step}%`, y: base - height, width: `${0.6 * step}%`, height, rx: 3 }),
			svg("text", { class: value === top ? "plot-value plot-top" : "plot-value", x: middle, y: base - height - 8 }, format(value)),
			svg("text", { y: base }, ...label.split(" ").map((line) => svg("tspan", { x: middle, dy: "1.35em" }, line))),
		];
	});
	const long = rows.some((row) => format(row.value).length > 7);
	return svg("svg", { class: long ? "plot-columns long" : "plot-columns", width: "100%", height: base + below },
		svg("line", { class: "plot-base", x1: "0%", x2: "100%", y1: base + 0.5, y2: base + 0.5 }), ...drawn);
}

/** @param {Row[]} rows @param {(value: number) => string} format */
function bars(rows, format) {
	const top = largest(rows);
	return h("ol", { class: "plot-bars plain-list" }, rows.map(({ label, value }) => h("li", {},
		h("div", { class: "plot-bar-text" }, h("bdi", {}, label), h("span", { class: "plot-value number" }, format(value))),
		svg("svg", { width: "100%", height: 12 },
			svg("rect", { class: "plot-rail", width: "100%", height: 12, rx: 3 }),
			svg("rect", { class: "plot-mark", width: `${(100 * Math.max(0, value)) / top}%`, height: 12, rx: 3 })))));
}

/** What a screen reader says of the plot. @param {string} title @param {Row[]} rows @param {(value: number) => string} format */
function summary(title, rows, format) {
	if (rows.length === 0) return `${title}: nothing yet.`;
	const highest = rows.reduce((a, b) => (b.value > a.value ? b : a));
	const sum = rows.reduce((all, row) => all + row.value, 0);
	return sum === 0 ? `${title}: nothing yet.` : `${title}: ${format(sum)} in all. Highest: ${highest.label}, ${format(highest.value)}.`;
}

/** @param {string} title @param {Row[]} rows @param {(value: number) => string} format @param {string} labels @param {string} unit */
const table = (title, rows, format, labels, unit) => h("div", { class: "table-scroll" }, h("table", {},
	h("caption", { class: "visually-hidden" }, title),
	h("thead", {}, h("tr", {}, h("th", { scope: "col" }, labels), h("th", { scope: "col", class: "number" }, unit))),
	h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, row.label)), h("td", { class: "number" }, format(row.value)))))));
