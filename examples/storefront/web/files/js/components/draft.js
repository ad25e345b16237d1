// Drafts: what a person has typed survives a lost connection, a sign-in and a reload of this tab. A
// page with the fields of a draft is not taken away when the session ends (js/router.js).
import { session } from "../session.js";

/**
 * Restores the texts of a form that was left before it was sent, and stores them while they are
 * typed. Returns a function that forgets them.
 * @param {string} name of the form, the same at each visit
 * @param {{input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement}[]} fields
 */
export function keepDraft(name, fields) {
	const key = `storefront.draft.${session.writer()}.${name}`;
	const stored = read(key);
	fields.forEach(({ input }, i) => {
		if (stored[i]) {
			input.value = stored[i];
			input.dispatchEvent(new Event("input"));
		}
		input.dataset.kept = "";
		input.addEventListener("input", () => sessionStorage.setItem(key, JSON.stringify(fields.map((f) => f.input.value))));
	});
	return () => sessionStorage.removeItem(key);
}

/** @param {string} key @returns {string[]} */
function read(key) {
	try {
		return JSON.parse(sessionStorage.getItem(key) || "[]");
	} catch {
		return [];
	}
}
