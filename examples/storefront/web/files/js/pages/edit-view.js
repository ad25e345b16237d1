// The form of something that exists, and the bar that saves it. If another person has saved a change
// meanwhile, what was typed stays, on top of the newest state.
import { fill, h } from "../dom.js";
import { ApiError } from "../api.js";
import { busy } from "../components/button.js";
import { allValid } from "../components/field.js";
import { problemNotice } from "../components/problem.js";
import { toast } from "../components/toast.js";
import { saveBar } from "./course-form.js";

/** @typedef {{input: HTMLElement, valid: () => boolean}} Field */
/**
 * noun is what is edited, such as "course". parts makes the parts of the form of the view and returns its
 * fields; wrong says what is wrong with the changes as a whole, or ""; read reads the newest state; save
 * sends the changes, and returns the new state; saved is called after that.
 * @template {{_id: string, version: number}} Saved
 * @template {object} Draft
 * @template {object} Data
 * @typedef {{
 *   noun: string, edits: ReturnType<typeof import("./edit-changes.js").editChanges<Saved, Draft, Data>>,
 *   parts: (view: EditView<Saved, Draft, Data>) => {parts: Node[], fields: () => Field[]},
 *   sent?: (base: Saved, draft: Draft) => Partial<Data>, wrong: (draft: Draft, changes: Partial<Data>) => string,
 *   read: () => Promise<Saved>, save: (base: Saved, changes: Partial<Data>) => Promise<Saved>, saved: (now: Saved, before: Saved) => void,
 * }} Options
 */

const formId = "edit-form";

/**
 * @template {{_id: string, version: number}} Saved
 * @template {object} Draft
 * @template {object} Data
 */
export class EditView {
	/** Shows the form, with what was typed before a reload. @param {Saved} saved @param {Options<Saved, Draft, Data>} options */
	constructor(saved, options) {
		/** @type {Options<Saved, Draft, Data>} */
		this.options = options;
		/** @type {import("./edit-changes.js").Edit<Saved, Draft>} */
		this.edit = { base: saved, draft: options.edits.draftOf(saved) };
		this.region = h("div", {});
		this.problem = problemNotice();
		this.state = h("p", { class: "muted small", role: "status" });
		this.submit = h("button", { class: "button primary", type: "submit", form: formId }, "Save the changes");
		/** Shown at the foot of the window. */
		this.bar = saveBar(this.problem.element, h("div", { class: "row" }, this.submit, this.state));
		const kept = options.edits.read(saved._id);
		if (kept && this.isChanged(kept)) this.restore(kept, saved);
		else this.draw(this.edit);
	}

	/** @param {import("./edit-changes.js").Edit<Saved, Draft>} edit */
	isChanged({ base, draft }) { return Object.keys(this.options.edits.changesOf(base, draft)).length > 0; }

	/** Shows the form of an edit, with a notice above it. @param {import("./edit-changes.js").Edit<Saved, Draft>} edit @param {Node | null} [notice] */
	draw(edit, notice = null) {
		this.edit = edit;
		this.problem.hide();
		const { parts, fields } = this.options.parts(this);
		fill(this.region, notice, h("form", { id: formId, class: "stack loose", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); busy(this.submit, () => this.save(fields())); } }, parts));
		this.tell();
	}

	/** Says whether there is something to save. */
	tell() { this.state.textContent = this.isChanged(this.edit) ? "There are changes to save." : "Everything is saved."; }

	/** Keeps what was typed. It is called after each change of the draft. */
	changed() {
		this.options.edits.keep(this.edit);
		this.tell();
	}

	/** Shows what was typed before a reload, on top of the newest state. @param {import("./edit-changes.js").Edit<Saved, Draft>} kept @param {Saved} saved */
	restore(kept, saved) {
		const { edit, both } = this.options.edits.rebase(kept, saved);
		this.draw(edit, kept.base.version === saved.version ? this.notice("What you typed before and did not save is here again.") : this.conflictNotice(both));
	}

	/** Reads the newest state after another change of the reader, and keeps what was typed. */
	async readAgain() { this.draw(this.options.edits.rebase(this.edit, await this.options.read()).edit); }

	/** @param {string} text */
	notice(text) {
		return h("div", { class: "notice warn stack tight", role: "alert", tabIndex: -1 }, h("p", {}, text),
			h("div", {}, h("button", { class: "button", type: "button", onclick: () => this.discard() }, "Discard what I typed")));
	}

	discard() {
		const { base } = this.edit, { edits } = this.options;
		edits.forget(base._id);
		this.draw({ base, draft: edits.draftOf(base) });
		this.region.querySelector("input")?.focus();
	}

	/** @param {string[]} both */
	conflictNotice(both) {
		return this.notice(`The ${this.options.noun} was changed by another person, or in another tab, since you opened it. Nothing of yours is saved yet, and what you typed is still here, on top of the newest state. `
			+ (both.length > 0 ? `The other change is about ${both.join(", ")} too: saving puts yours in its place.` : "The other change is about other fields: save again to have both."));
	}

	/** Sends what has changed, if everything is right. @param {Field[]} fields */
	async save(fields) {
		const { edit: { base, draft }, problem, options } = this;
		problem.hide();
		const complete = allValid(fields), changes = (options.sent ?? options.edits.changesOf)(base, draft);
		const wrong = complete ? options.wrong(draft, changes) : "Some fields are not right yet. Each says what is wrong.";
		if (wrong) {
			problem.show(wrong);
			if (complete) problem.element.focus();
			return;
		}
		if (Object.keys(changes).length === 0) { toast(`There is nothing to save: the ${options.noun} is as it was.`); return; }
		try {
			const now = await options.save(base, changes);
			this.edit.base = now;
			options.edits.forget(now._id);
			this.tell();
			options.saved(now, base);
		} catch (error) {
			await this.refused(error);
		}
	}

	/** Shows why a change was refused; if another one was saved before, together with the newest state. @param {unknown} error */
	async refused(error) {
		let reason = error;
		try {
			if (error instanceof ApiError && error.status === 409) { await this.showConflict(); return; }
		} catch (failure) {
			reason = failure;
		}
		this.problem.show(reason);
		this.problem.element.focus();
	}

	/** Shows the form on top of the newest state. */
	async showConflict() {
		const { edits, read } = this.options;
		const { edit, both } = edits.rebase(this.edit, await read());
		edits.keep(edit);
		this.draw(edit, this.conflictNotice(both));
		/** @type {HTMLElement} */ (this.region.firstElementChild).focus();
	}
}
