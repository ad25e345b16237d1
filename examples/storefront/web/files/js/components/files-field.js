// Files that are sent with a form: added, with the progress of their upload, and taken out again.
import { fill, h } from "../dom.js";
import { fileSize } from "../format.js";
import { canShow, showHere } from "./inline-file.js";
import { explain } from "./states.js";
import { uploadProgress } from "./upload-progress.js";

/** @typedef {{fileId: string, name: string, type?: string, size: number, url?: string}} StoredFile */

let made = 0;

/**
 * @param {string} label
 * @param {{files: StoredFile[], most: number, signal: AbortSignal, upload: (file: File, progress: (sent: number) => void, signal: AbortSignal) => Promise<StoredFile>, onchange: () => void}} options files is changed in place
 */
export function filesField(label, { files, most, signal, upload, onchange }) {
	const id = `files-${++made}`;
	let isSending = false;
	const problem = h("div", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true }), sending = uploadProgress(label);
	const say = (/** @type {string[]} */ ...words) => { fill(problem, words.map((text) => h("p", {}, text))); problem.hidden = words.length === 0; };
	const input = h("input", { type: "file", id, class: "visually-hidden", multiple: true, "aria-label": `Add files: ${label}`, "aria-describedby": problem.id, onchange: () => add([...(input.files ?? [])]) });
	const list = h("ul", { class: "plain-list stack tight" }), button = h("label", { class: "button small", for: id }, "Add files");
	const draw = () => {
		fill(list, files.map((file) => h("li", { class: "row" }, fileLink(file), h("button", { class: "button quiet icon", type: "button", "aria-label": `Take out ${file.name}`, onclick: () => { files.splice(files.indexOf(file), 1); draw(); onchange(); input.focus(); } }, "✕"))));
		button.hidden = input.disabled = isSending || files.length >= most;
	};
	const add = async (/** @type {File[]} */ chosen) => {
		const problems = chosen.length + files.length > most ? [`At most ${most} files: take some out, or put them into a zip.`] : [];
		say(...problems);
		isSending = true;
		draw();
		for (const file of chosen.slice(0, most - files.length)) {
			sending.start(file);
			try {
				files.push(await upload(file, sending.tell, signal));
				onchange();
			} catch (error) {
				if (/** @type {Error} */ (error).name === "AbortError") break;
				problems.push(`${file.name} was not added: ${explain(error)}`); // the others may be fine
				say(...problems);
			}
			draw();
		}
		isSending = false;
		sending.end();
		input.value = "";
		draw();
	};
	draw();
	const element = h("div", { class: "field upload-field" }, h("span", { class: "field-name" }, label), list, h("div", { class: "row" }, sending.element, input, button), problem);
	return { element, input, /** Whether no file is on its way. */ valid: () => { if (isSending) say("Wait until the file has been sent."); return !isSending; } };
}

/** @param {StoredFile} file */
const fileLink = ({ name, size, url }) => h("span", {}, url ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, h("bdi", {}, name)) : h("bdi", {}, name), h("span", { class: "muted small" }, ` ${fileSize(size)}`));

/** Files that are only read, or null if there are none. @param {string} label @param {StoredFile[]} files */
export const fileList = (label, files) => files.length > 0 && h("div", { class: "stack tight" }, h("p", { class: "field-name" }, label), h("ul", { class: "plain-list stack tight" }, files.map((file) => h("li", {}, fileLink(file), file.url && canShow(file.type ?? "") && showHere(file.url, file.type ?? "", file.name)))));
