// A handle by which an element of a list is dragged with a mouse, a pen or a finger. The keyboard
// has buttons beside it.
import { h } from "../dom.js";

/**
 * Elements that can be dragged have data-drag with their kind. A line shows the place; the element
 * moves when the pointer is released, and Escape cancels.
 * @param {"chapter" | "lecture"} kind
 * @param {(target: Element, after: boolean) => void} drop
 */
export function dragHandle(kind, drop) {
	/** @type {{element: Element, after: boolean} | null} */
	let target = null;
	const mark = (/** @type {typeof target} */ next) => {
		target?.element.classList.remove("drop-before", "drop-after");
		target = next;
		target?.element.classList.add(target.after ? "drop-after" : "drop-before");
	};
	const end = () => {
		mark(null);
		handle.closest("[data-drag]")?.classList.remove("dragged");
		document.removeEventListener("keydown", cancel);
		handle.onpointermove = handle.onpointerup = null;
	};
	const cancel = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") end(); };
	const begin = (/** @type {PointerEvent} */ event) => {
		if (event.button !== 0) return;
		event.preventDefault();
		handle.setPointerCapture(event.pointerId);
		handle.closest("[data-drag]")?.classList.add("dragged");
		document.addEventListener("keydown", cancel);
		handle.onpointermove = ({ clientX, clientY }) => { scrollAt(clientY); mark(targetAt(kind, clientX, clientY)); };
		handle.onpointerup = () => {
			const found = target;
			end();
			if (found) drop(found.element, found.after);
		};
	};
	const handle = h("span", { class: "drag-handle", title: "Drag to another place", "aria-hidden": "true", onpointerdown: begin, onpointercancel: end }, "⠿");
	return handle;
}

/** What is below the pointer: an element of the kind, or a chapter for a lecture. @param {"chapter" | "lecture"} kind @param {number} x @param {number} y */
function targetAt(kind, x, y) {
	const below = document.elementFromPoint(x, y);
	const element = below?.closest(`[data-drag="${kind}"]`) ?? below?.closest('[data-drag="chapter"]');
	if (!element) return null;
	const box = element.getBoundingClientRect();
	return { element, after: y > box.top + box.height / 2 };
}

/** Scrolls when the pointer is near the top or the bottom of the window. @param {number} y */
function scrollAt(y) {
	if (y < 110) scrollBy(0, -14);
	else if (y > innerHeight - 70) scrollBy(0, 14);
}
