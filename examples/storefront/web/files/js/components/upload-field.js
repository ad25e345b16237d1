// A field that holds an uploaded file: chosen, sent at once with its progress, and replaced.
import { h } from "../dom.js";
import { fileSize } from "../format.js";
import { uploadFile } from "../upload.js";
import { explain } from "./states.js";

/** An uploaded file; name is "" if the server has not told it. @typedef {{id: string, name: string}} Uploaded */

let made = 0;

/**
 * @param {string} label what the file is, such as "Video"
 * @param {{accept: string, value: Uploaded | null, required: () => boolean, signal: AbortSignal, onchange: (file: Uploaded) => void}} options
 */
export function uploadField(label, { accept, value, required, signal, onchange }) {
	const id = `upload-${++made}`;
	let current = value, stop = new AbortController(), isSending = false;
	const input = h("input", { type: "file", id, class: "visually-hidden", accept, "aria-describedby": `${id}-state ${id}-problem`, onchange: () => choose(input.files?.[0]) });
	const state = h("p", { class: "small", id: `${id}-state`, role: "status" }), bar = h("progress", { max: 1, value: 0, "aria-label": `Upload: ${label}`, hidden: true });
	const problem = h("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
	const cancel = h("button", { class: "button small", type: "button", hidden: true, onclick: () => stop.abort() }, "Cancel");
	const button = h("label", { class: "button small", for: id });
	const say = (/** @type {string} */ words) => { problem.textContent = words; problem.hidden = words === ""; };
	const show = () => {
		state.textContent = isSending ? "" : current ? current.name || "The stored file" : "No file yet";
		button.textContent = current ? "Choose another" : "Choose a file";
		input.setAttribute("aria-label", `${button.textContent}: ${label}`);
		bar.hidden = cancel.hidden = !isSending;
		button.hidden = input.disabled = isSending;
	};
	const choose = async (/** @type {File | undefined} */ file) => {
		if (!file) return;
		stop = new AbortController();
		isSending = true;
		bar.value = 0;
		say("");
		show();
		try {
			const stored = await uploadFile(file, (sent) => { bar.value = sent; }, AbortSignal.any([stop.signal, signal]));
			current = { id: stored.fileId, name: `${stored.name}, ${fileSize(stored.size)}` };
			onchange(current);
		} catch (error) {
			if (/** @type {Error} */ (error).name !== "AbortError") say(explain(error));
		} finally {
			isSending = false;
			input.value = "";
			show();
		}
	};
	show();
	const element = h("div", { class: "field upload-field" }, h("span", { class: "field-name" }, label), h("div", { class: "row" }, state, bar, cancel, input, button), problem);
	return { element, input, valid: () => { if (isSending) say("Wait until the file has been sent, or cancel it."); else if (required() && !current) say("Choose a file."); else say(""); return problem.hidden; } };
}
