// What a region shows when it is empty, or when its data has not arrived.
import { h } from "../dom.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";

/**
 * Says that a list is empty, and what to do next.
 * @param {string} title @param {string} text @param {Node} [action]
 */
export function empty(title, text, action) {
	return h("div", { class: "state" }, h("h2", {}, title), h("p", {}, text), action);
}

/**
 * Says why something failed and what to do next.
 * @param {unknown} error
 * @param {() => void} [again]
 */
export function failed(error, again) {
	const { status = -1 } = /** @type {{status?: number}} */ (error);
	if (status === 401 || (status === 403 && !session.token())) return signIn();
	const retry = again && h("button", { class: "button", type: "button", onclick: again }, "Try again");
	return h("div", { class: "state bad", role: "alert" }, h("h2", {}, title(status)), h("p", {}, explain(error)), retry);
}

function signIn() {
	return h("div", { class: "state", role: "alert" }, h("h2", {}, "Please sign in again"),
		h("p", {}, "Your session has ended. After signing in you come back to this page."), signInButton());
}

/** Leads to the sign-in and back to this page. */
export const signInButton = () => h("button", { class: "button primary", type: "button", onclick: () => go(pathTo.signIn()) }, "Sign in again");

/** What becomes of a text when the session has ended. */
export const sessionEnded = "Your session has ended. What you have typed is kept on this device, in this tab, and is here again after you sign in.";

/** @param {number} status */
function title(status) {
	if (status === 0) return "No connection";
	if (status === 403) return "Not for this account";
	if (status === 404) return "Not found";
	if (status === 429) return "Too many requests";
	return "This did not work";
}

/**
 * The text of an error with what to do next, for a region, a form or a toast.
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
	const { status = -1, message = "", retryAfter = 0 } = /** @type {{status?: number, message?: string, retryAfter?: number}} */ (error);
	if (status === -1) { console.error(error); return "This page has a fault. Reload it, and tell us if it stays."; }
	if (status === 401) return sessionEnded;
	if (status === 429 && retryAfter > 0) return `${message} You can try again in ${wait(retryAfter)}.`;
	if (status >= 500) return `${message}. Nothing was changed. Try again in a moment.`.replace("..", ".");
	return message;
}

/** @param {number} seconds */
const wait = (seconds) => (seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`);
