// A field that chooses a person by name or e-mail address.
import { choiceField } from "./choice-field.js";

/** @typedef {{_id: string, name: string, email: string}} Person */

/**
 * @param {Person[]} people
 * @param {{name: string, chosen?: string, required?: boolean, onchange?: (id: string) => void}} options as of choiceField
 */
export const personField = (people, options) => choiceField("Person", people.map(({ _id, name, email }) => ({ id: _id, text: `${name} <${email}>`, other: email })),
	{ ...options, placeholder: "Name or e-mail", wrong: "Choose one of the people who are suggested as you type." });
