// A row of figures, each with what it counts.
import { h } from "../dom.js";

/** @param {{label: string, value: string, note?: string}[]} all */
export function figures(all) {
	return h("dl", { class: "grid figures" }, all.map(({ label, value, note }) =>
		h("div", { class: "card figure" }, h("dt", {}, label), h("dd", {}, value), note ? h("dd", { class: "figure-note" }, note) : null)));
}
