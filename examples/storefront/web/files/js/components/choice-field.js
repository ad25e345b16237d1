// A field that chooses one of many by its text, with suggestions as one types.
import { fill, h } from "../dom.js";
import { field } from "./field.js";

/** other is a second text that chooses it, whatever its case. @typedef {{id: string, text: string, other?: string}} Choice */

const most = 20;

/**
 * id returns the id of the choice, or "". onchange is called when there is another choice, or none because the field was emptied.
 * @param {string} label @param {Choice[]} choices
 * @param {{name: string, placeholder: string, wrong: string, chosen?: string, required?: boolean, onchange?: (id: string) => void}} options wrong is said of a text that chooses nothing
 */
export function choiceField(label, choices, { name, placeholder, wrong, chosen = "", required = false, onchange }) {
	const byText = new Map(choices.map(({ id, text }) => [text, id])), byOther = new Map(choices.map(({ id, other = "" }) => [other.toLowerCase(), id]));
	const suggestions = h("datalist", { id: `${name}-suggestions` });
	const idOf = (/** @type {string} */ text) => byText.get(text.trim()) ?? (text.trim() && byOther.get(text.trim().toLowerCase())) ?? "";
	let last = chosen;
	const typed = (/** @type {string} */ text) => {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		const found = choices.filter((choice) => words.every((word) => choice.text.toLowerCase().includes(word)));
		fill(suggestions, found.slice(0, most).map((choice) => h("option", { value: choice.text })));
		const id = idOf(text);
		if (id !== last && (id !== "" || text.trim() === "")) onchange?.((last = id));
	};
	const made = field(label, { name, value: choices.find(({ id }) => id === chosen)?.text ?? "", required, autocomplete: "off", placeholder, oninput: typed,
		check: (text) => (idOf(text) ? "" : wrong) });
	made.input.setAttribute("list", suggestions.id);
	made.element.append(suggestions);
	typed(made.input.value);
	return { ...made, id: () => idOf(made.value()) };
}
