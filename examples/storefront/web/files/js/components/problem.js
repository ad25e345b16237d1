// The place where a form, a dialog or a button says why it failed.
import { fill, h } from "../dom.js";
import { actionButton } from "./button.js";
import { explain, signInButton } from "./states.js";

/** A notice that is hidden until show gets an error or a text. If the session has ended, it has a button that leads to the sign-in. */
export function problemNotice() {
	const element = h("div", { class: "notice bad stack tight", role: "alert", tabIndex: -1, hidden: true });
	return {
		element,
		hide: () => { element.hidden = true; },
		/** @param {unknown} error or a text @param {...(Node | string)} advice shown after the reason */
		show: (error, ...advice) => {
			const hasEnded = /** @type {{status?: number}} */ (error)?.status === 401;
			fill(element, h("p", {}, typeof error === "string" ? error : explain(error), ...advice), hasEnded && h("div", {}, signInButton()));
			element.hidden = false;
		},
	};
}

/** A button that runs work, as actionButton does, and says below it why the work has failed. @param {string} label @param {() => Promise<any>} work @param {{kind?: string, name?: string}} [options] */
export function actionWithProblem(label, work, options) {
	const problem = problemNotice();
	const run = async () => {
		problem.hide();
		await work().catch(problem.show);
	};
	return h("div", { class: "stack tight" }, actionButton(label, run, options), problem.element);
}
