// A field that chooses a person by name or e-mail address, with suggestions as one types.
import { fill, h } from "../dom.js";
import { field } from "./field.js";

/** @typedef {{_id: string, name: string, email: string}} Person */

/** @param {Person} person */
const textOf = ({ name, email }) => `${name} <${email}>`;
const most = 20;

/**
 * id returns the id of the chosen person, or "".
 * @param {Person[]} people
 * @param {{name: string, label?: string, chosen?: string, required?: boolean, onchange?: (id: string) => void}} options
 */
export function personField(people, { name, label = "Person", chosen = "", required = false, onchange }) {
	const byText = new Map(people.map((person) => [textOf(person), person._id]));
	const byEmail = new Map(people.map((person) => [person.email.toLowerCase(), person._id]));
	const suggestions = h("datalist", { id: `${name}-suggestions` });
	const idOf = (/** @type {string} */ text) => byText.get(text.trim()) ?? byEmail.get(text.trim().toLowerCase()) ?? "";
	let last = chosen;
	const typed = (/** @type {string} */ text) => {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		const found = people.filter((person) => words.every((word) => textOf(person).toLowerCase().includes(word)));
		fill(suggestions, found.slice(0, most).map((person) => h("option", { value: textOf(person) })));
		const id = idOf(text);
		if (id !== last && (id !== "" || text.trim() === "")) onchange?.((last = id));
	};
	const person = people.find((each) => each._id === chosen);
	const made = field(label, { name, value: person ? textOf(person) : "", required, autocomplete: "off", placeholder: "Name or e-mail", oninput: typed,
		check: (text) => (idOf(text) ? "" : "Choose one of the people who are suggested as you type.") });
	made.input.setAttribute("list", suggestions.id);
	made.element.append(suggestions);
	typed(made.input.value);
	return { ...made, id: () => idOf(made.value()) };
}
