// A form with one button: it is sent once at a time, and says why when it cannot be sent.
import { h } from "../dom.js";
import { busy } from "./button.js";
import { allValid } from "./field.js";
import { problemNotice } from "./problem.js";

/**
 * submit runs when all fields are right. If it fails, what was typed stays, and the reason is shown
 * above the button.
 * @param {{element: HTMLElement, input: HTMLElement, valid: () => boolean}[]} fields
 * @param {{action: string, submit: () => Promise<any>, more?: (Node | null)[]}} options more is shown beside the button
 */
export function form(fields, { action, submit, more = [] }) {
	const button = h("button", { class: "button primary", type: "submit" }, action);
	const problem = problemNotice();
	const send = async (/** @type {Event} */ event) => {
		event.preventDefault();
		if (!allValid(fields)) return;
		problem.hide();
		try {
			await busy(button, submit);
		} catch (error) {
			problem.show(error);
		}
	};
	return h("form", { class: "stack", noValidate: true, onsubmit: send }, fields.map((f) => f.element), problem.element, h("div", { class: "row" }, button, more.filter((node) => node !== null)));
}
