// What is typed into the form of something that exists: the state that it was loaded in, and the form on
// top of it. Only what differs is sent, so that two people who edit different fields do not disturb each
// other.
import { session } from "../session.js";
import { store } from "./teach-new-draft.js";

/**
 * base is what the server last sent, draft what the form holds.
 * @template Saved, Draft
 * @typedef {{base: Saved, draft: Draft}} Edit
 */

/**
 * kind names what is edited in the storage of the tab. fields are those of the API, as the form calls
 * them and as people do. draftOf returns what the form shows before anything is typed, and dataOf the
 * fields of the API.
 * @template {{_id: string}} Saved
 * @template {object} Draft
 * @template {object} Data
 * @param {{kind: string, fields: Record<keyof Data, [key: keyof Draft, text: string]>, draftOf: (saved: Saved) => Draft, dataOf: (draft: Draft) => Data}} options
 */
export function editChanges({ kind, fields, draftOf, dataOf }) {
	const key = (/** @type {string} */ id) => `storefront.${kind}.${session.writer()}.${id}`;

	/** The fields of draft that differ from what is saved. @param {Saved} saved @param {Draft} draft @returns {Partial<Data>} */
	function changesOf(saved, draft) {
		const before = dataOf(draftOf(saved));
		return /** @type {any} */ (Object.fromEntries(Object.entries(dataOf(draft)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(/** @type {any} */ (before)[name]))));
	}

	/**
	 * Puts what the form changes on top of a newer state. both are the fields that the form and the other
	 * change have changed, as people call them.
	 * @param {Edit<Saved, Draft>} edit @param {Saved} current
	 */
	function rebase({ base, draft }, current) {
		const mine = /** @type {(keyof Data)[]} */ (Object.keys(changesOf(base, draft))), theirs = changesOf(base, draftOf(current)), differs = changesOf(current, draft);
		const merged = draftOf(current);
		for (const name of mine) merged[fields[name][0]] = draft[fields[name][0]];
		return { edit: { base: current, draft: merged }, both: mine.filter((name) => name in theirs && name in differs).map((name) => fields[name][1]) };
	}

	/** What was typed in this tab and not saved, or null. What a form of before did not have is as it is saved. @param {string} id @returns {Edit<Saved, Draft> | null} */
	function read(id) {
		try {
			const kept = JSON.parse(sessionStorage.getItem(key(id)) || "null");
			return kept && { ...kept, draft: { ...draftOf(kept.base), ...kept.draft } };
		} catch {
			return null;
		}
	}

	return {
		draftOf, changesOf, rebase, read,
		keep: (/** @type {Edit<Saved, Draft>} */ edit) => store(key(edit.base._id), edit),
		forget: (/** @type {string} */ id) => sessionStorage.removeItem(key(id)),
	};
}
