// How a quiz is taken, in its form.
import { h } from "../dom.js";
import { field } from "../components/field.js";
import { whole } from "./teach-quiz-draft.js";

/** @typedef {import("./teach-quiz-draft.js").Settings} Settings */

/** @param {Settings} settings changed in place @param {() => void} changed */
export function settingsFields(settings, changed) {
	const number = (/** @type {string} */ label, /** @type {"draw" | "minutes" | "attempts" | "passPercent"} */ name, /** @type {number} */ least, /** @type {number} */ most, /** @type {string} */ hint) => field(label, { name: `quiz-${name}`, value: settings[name], required: name === "passPercent", inputMode: "numeric", autocomplete: "off", hint, check: whole(least, most), oninput: (value) => { settings[name] = value.trim(); changed(); } });
	const fields = [
		number("Passed from, in per cent", "passPercent", 0, 100, "Of all points."),
		number("Minutes", "minutes", 1, 10_000, "From the start of an attempt. Nothing means no limit."),
		number("Attempts", "attempts", 1, 1000, "That each student has. Nothing means no limit."),
		number("Questions in an attempt", "draw", 1, 500, "Drawn by chance. Nothing means all of them."),
		field("Show the right answers", { name: "quiz-review", required: true, value: settings.review, options: [["never", "Never"], ["passed", "After an attempt that is passed"], ["always", "After each attempt"]], oninput: (value) => { settings.review = /** @type {Settings["review"]} */ (value); changed(); } }),
	];
	const shuffle = h("label", { class: "check" }, h("input", { type: "checkbox", checked: settings.shuffle, onchange: (/** @type {any} */ event) => { settings.shuffle = event.target.checked; changed(); } }), "Show questions and options in another order each time");
	return { element: h("div", { class: "stack" }, h("div", { class: "price-fields" }, fields.map(({ element }) => element)), shuffle), fields };
}
