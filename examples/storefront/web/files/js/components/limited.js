// A text field with a limit: the hint below it says how much of the limit is used, and a longer text is
// refused with the number of characters to remove. Characters are code points, as the API counts.
import { field } from "./field.js";
import { number } from "../format.js";

/** @param {string} text */
export const lengthOf = (text) => [...text].length;

/**
 * @param {string} label
 * @param {Parameters<typeof field>[1] & {max: number, min?: number}} options those of a field, and the limits
 */
export function limited(label, { max, min = 0, hint = "", check, oninput, ...options }) {
	const used = (/** @type {string} */ text) => `${hint && hint + " "}${number(lengthOf(text.trim()))} of ${number(max)} characters.`;
	const made = field(label, {
		...options,
		hint: used(options.value ?? ""),
		check: (text) => wrongLength(lengthOf(text), min, max) || (check?.(text) ?? ""),
		oninput: (/** @type {string} */ text) => { count(); oninput?.(text); },
	});
	const line = /** @type {HTMLElement} */ (made.element.querySelector(".hint"));
	const count = () => {
		line.textContent = used(made.input.value);
		if (lengthOf(made.input.value.trim()) > max) made.valid();
	};
	return { ...made, /** Puts a text in the field. */ set: (/** @type {string} */ text) => { made.input.value = text; count(); } };
}

/** @param {number} length @param {number} min @param {number} max */
function wrongLength(length, min, max) {
	if (length > max) return `This is too long: remove ${number(length - max)} of ${number(length)} characters.`;
	return length < min ? `Write at least ${number(min)} characters.` : "";
}
