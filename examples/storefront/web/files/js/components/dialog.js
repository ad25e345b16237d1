// Dialogs: a question before something that cannot be undone, or a small form.
import { h } from "../dom.js";
import { busy } from "./button.js";
import { problemNotice } from "./problem.js";

/**
 * Opens a dialog and waits until it is closed. submit runs when the main button is pressed; if it
 * fails, the dialog stays open and says why; so it does if check, which runs before, returns false,
 * because a field is wrong. Resolves to true if submit has succeeded.
 * @param {{title: string, body: Node | string | (Node | string)[], action: string, kind?: "primary" | "danger", check?: () => boolean, submit: () => Promise<any>}} options
 * @returns {Promise<boolean>}
 */
export function ask({ title, body, action, kind = "primary", check = () => true, submit }) {
	return new Promise((resolve) => {
		const main = h("button", { class: `button ${kind}`, type: "submit" }, action);
		const problem = problemNotice();
		let done = false;
		const form = h("form", { method: "dialog", noValidate: true, onsubmit: async (/** @type {Event} */ event) => {
			event.preventDefault();
			problem.hide();
			if (!check()) return;
			try {
				if ((await busy(main, async () => { await submit(); return true; })) === undefined) return;
				done = true;
				box.close();
			} catch (error) {
				problem.show(error);
			}
		} }, h("div", { class: "stack" }, h("h2", { id: "dialog-title" }, title), body, problem.element),
		h("div", { class: "actions" }, h("button", { class: "button", type: "button", onclick: () => box.close() }, "Cancel"), main));
		const box = h("dialog", { class: "dialog", "aria-labelledby": "dialog-title", onclose: () => { box.remove(); resolve(done); } }, form);
		document.body.append(box);
		box.showModal();
	});
}
