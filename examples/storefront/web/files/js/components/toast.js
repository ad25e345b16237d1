// Short messages at the bottom of the window, in a live region.
import { h } from "../dom.js";
import { explain } from "./states.js";

const polite = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
document.body.append(polite);

/**
 * Shows a message for some seconds.
 * @param {string} text
 * @param {"good" | "bad"} [kind]
 */
export function toast(text, kind = "good") {
	const close = h("button", { type: "button", "aria-label": "Dismiss", onclick: () => box.remove() }, "✕");
	const box = h("div", { class: `toast ${kind}` }, h("span", {}, text), close);
	polite.append(box);
	let timer = setTimeout(() => box.remove(), 8000);
	box.addEventListener("mouseenter", () => clearTimeout(timer));
	box.addEventListener("mouseleave", () => { timer = setTimeout(() => box.remove(), 3000); });
}

/** Shows why something failed. @param {unknown} error */
export function toastError(error) {
	toast(explain(error), "bad");
}
