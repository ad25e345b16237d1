// Buttons whose work takes time: busy while it runs, so that a second click does nothing.
import { h } from "../dom.js";
import { toastError } from "./toast.js";

/**
 * A button that runs work when it is pressed. While the work runs it is busy and ignores clicks;
 * an error is shown as a toast.
 * @param {string | Node} label
 * @param {() => Promise<any>} work
 * @param {{kind?: string, name?: string}} [options] kind: "primary", "danger", "quiet", "wide" …; name: for screen readers
 */
export function actionButton(label, work, { kind = "", name } = {}) {
	const button = h("button", { class: `button ${kind}`, type: "button", "aria-label": name, onclick: (/** @type {MouseEvent} */ event) => isAgain(event) || busy(button, work).catch(toastError) }, label);
	return button;
}

/**
 * A button that opens a dialog: it is not busy meanwhile, because the dialog covers it.
 * @param {string | Node} label
 * @param {() => Promise<any>} open
 * @param {{kind?: string, name?: string}} [options] as of actionButton
 */
export const dialogButton = (label, open, { kind = "", name } = {}) =>
	h("button", { class: `button ${kind}`, type: "button", "aria-label": name, onclick: (/** @type {MouseEvent} */ event) => isAgain(event) || open().catch(toastError) }, label);

/** Whether a click is the second one of a double click, which may come after fast work has ended. @param {MouseEvent} event */
const isAgain = (event) => event.detail > 1;

// A double click on a button that sends a form sends it once.
document.addEventListener("click", (event) => {
	if (isAgain(event) && event.target instanceof Element && event.target.closest("button[type=submit]")) event.preventDefault();
}, true);

/**
 * Runs work once while a button is marked as busy; further calls in the meantime do nothing.
 * @template T
 * @param {HTMLButtonElement} button
 * @param {() => Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
export async function busy(button, work) {
	if (button.getAttribute("aria-busy") === "true") return undefined;
	button.setAttribute("aria-busy", "true");
	button.setAttribute("aria-disabled", "true");
	try {
		return await work();
	} finally {
		button.removeAttribute("aria-busy");
		button.removeAttribute("aria-disabled");
	}
}
