// The box in which a question to the tutor is written. A question that was not answered is put back.
import { h } from "../dom.js";
import { busy } from "./button.js";
import { keepDraft } from "./draft.js";
import { limited } from "./limited.js";
import { problemNotice } from "./problem.js";

/**
 * @param {(question: string, signal: AbortSignal) => Promise<any>} answer resolves when the question is answered; its signal is aborted by the Stop button
 * @param {{leave: AbortSignal, advice: () => (Node | string)[], draft?: string}} options
 *   leave is aborted when the reader leaves the page; advice is shown after the reason of a failure; draft is the name
 *   under which a question that is not sent is kept
 */
export function composer(answer, { leave, advice, draft = "tutor" }) {
	const question = limited("Your question", { name: "question", rows: 2, max: 20000, required: true, hint: "Enter sends, Shift and Enter begin a new line." });
	const problem = problemNotice();
	const send = h("button", { class: "button primary", type: "submit" }, "Ask");
	const stop = h("button", { class: "button", type: "button", hidden: true }, "Stop");
	const forget = keepDraft(draft, [question]);
	const ask = async () => {
		const content = question.input.value;
		const stopped = new AbortController();
		stop.onclick = () => stopped.abort();
		stop.hidden = false;
		problem.hide();
		question.set("");
		try {
			await answer(content, AbortSignal.any([stopped.signal, leave]));
			forget();
		} catch (error) {
			if (question.value() === "") question.set(content);
			if (stopped.signal.aborted || leave.aborted) return;
			problem.show(error, ...advice());
		} finally {
			stop.hidden = true;
		}
	};
	const form = h("form", { class: "composer card", noValidate: true, onsubmit: (/** @type {Event} */ event) => {
		event.preventDefault();
		if (send.ariaBusy === "true") return;
		if (question.valid()) busy(send, ask);
		else question.input.focus();
	} }, question.element, problem.element, h("div", { class: "row" }, send, stop));
	submitOnEnter(question.input, form);
	return { element: form, /** Puts a question in the box, to be changed and sent. */ suggest: (/** @type {string} */ text) => { question.set(text); question.input.focus(); } };
}

/** Submits a form with Enter in a text area; Shift and Enter begin a new line. @param {HTMLElement} input @param {HTMLFormElement} form */
function submitOnEnter(input, form) {
	input.addEventListener("keydown", (event) => {
		if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
		event.preventDefault();
		form.requestSubmit();
	});
}
