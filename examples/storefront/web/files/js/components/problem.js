// The place where a form or a dialog says why it failed.
import { fill, h } from "../dom.js";
import { explain } from "./states.js";

/** A notice that is hidden until show gets an error. */
export function problemNotice() {
	const element = h("p", { class: "notice bad", role: "alert", hidden: true });
	return {
		element,
		hide: () => { element.hidden = true; },
		/** @param {unknown} error @param {...(Node | string)} advice shown after the reason */
		show: (error, ...advice) => {
			fill(element, explain(error), advice);
			element.hidden = false;
		},
	};
}
