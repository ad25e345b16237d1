// A field that holds an uploaded file: chosen, sent at once with its progress, and replaced.
import { h } from "../dom.js";
import { fileSize } from "../format.js";
import { uploadFile } from "../upload.js";
import { explain } from "./states.js";
import { uploadProgress } from "./upload-progress.js";

/** An uploaded file; name is "" if the server has not told it. @typedef {{id: string, name: string}} Uploaded */

let made = 0;

/**
 * @param {string} label what the file is, such as "Video"
 * @param {{accept: string, value: Uploaded | null, required: () => boolean, signal: AbortSignal, onchoose?: (file: File) => void, onchange: (file: Uploaded) => void}} options
 *   onchoose is called before the file is sent, onchange when it is stored
 */
export function uploadField(label, { accept, value, required, signal, onchoose, onchange }) {
	const id = `upload-${++made}`;
	let current = value, stop = new AbortController(), isSending = false;
	const input = h("input", { type: "file", id, class: "visually-hidden", accept, "aria-describedby": `${id}-state ${id}-problem`, onchange: () => choose(input.files?.[0]) });
	const state = h("p", { class: "small", id: `${id}-state`, role: "status" }), sending = uploadProgress(label);
	const problem = h("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
	const cancel = h("button", { class: "button small", type: "button", hidden: true, onclick: () => stop.abort() }, "Cancel");
	const button = h("label", { class: "button small", for: id });
	const say = (/** @type {string} */ words) => { problem.textContent = words; problem.hidden = words === ""; };
	const show = () => {
		state.textContent = isSending ? "" : current ? current.name || "The stored file" : "No file yet";
		button.textContent = current ? "Choose another" : "Choose a file";
		input.setAttribute("aria-label", `${button.textContent}: ${label}`);
		cancel.hidden = !isSending;
		button.hidden = input.disabled = isSending;
	};
	const choose = async (/** @type {File | undefined} */ file) => {
		if (!file) return;
		stop = new AbortController();
		isSending = true;
		sending.start(file);
		say("");
		show();
		onchoose?.(file);
		try {
			const stored = await uploadFile(file, sending.tell, AbortSignal.any([stop.signal, signal]));
			current = { id: stored.fileId, name: `${stored.name}, ${fileSize(stored.size)}` };
			onchange(current);
		} catch (error) {
			if (/** @type {Error} */ (error).name !== "AbortError") say(explain(error));
		} finally {
			isSending = false;
			sending.end();
			input.value = "";
			show();
		}
	};
	show();
	const element = h("div", { class: "field upload-field" }, h("span", { class: "field-name" }, label), h("div", { class: "row" }, state, sending.element, cancel, input, button), problem);
	return { element, input, valid: () => { if (isSending) say("Wait until the file has been sent, or cancel it."); else if (required() && !current) say("Choose a file."); else say(""); return problem.hidden; } };
}
