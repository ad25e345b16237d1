// Captions and attachments of a lecture in the form of a course: rows with a file each.
import { fill, h } from "../dom.js";
import { field } from "../components/field.js";
import { uploadField } from "../components/upload-field.js";
import { checks } from "./teach-new-draft.js";

/** @typedef {import("./teach-new-draft.js").Caption} Caption @typedef {import("./teach-new-draft.js").Attachment} Attachment */
/** @typedef {import("./teach-new-material.js").Field} Field */

const texts = {
	captions: { heading: "Captions", add: "Add captions", remove: "Remove these captions", file: "WebVTT file", accept: ".vtt,text/vtt" },
	attachments: { heading: "Files to take along", add: "Add a file", remove: "Remove this file", file: "File", accept: "" },
};

/**
 * A list of captions or attachments, which it changes in place.
 * @template {Caption | Attachment} T
 * @param {"captions" | "attachments"} kind @param {T[]} list @param {() => void} changed @param {AbortSignal} signal
 */
export function fileRows(kind, list, changed, signal) {
	const { heading, add, remove } = texts[kind];
	/** @type {Map<T, {element: HTMLElement, fields: Field[]}>} */
	const rows = new Map(list.map((item) => [item, row(kind, item, changed, signal)]));
	const items = h("ul", { class: "plain-list stack tight" });
	const draw = () => fill(items, list.map((item) => h("li", { class: "file-row" }, rows.get(item)?.element, h("button", { class: "button quiet icon", type: "button", "aria-label": remove, title: remove, onclick: () => drop(item) }, "✕"))));
	const drop = (/** @type {T} */ item) => { list.splice(list.indexOf(item), 1); rows.delete(item); draw(); changed(); addButton.focus(); };
	const addButton = h("button", { class: "button small", type: "button", onclick: () => {
		const item = /** @type {T} */ (kind === "captions" ? { language: "", label: "", file: null } : { title: "", file: null });
		list.push(item);
		rows.set(item, row(kind, item, changed, signal));
		draw();
		changed();
		rows.get(item)?.fields[0].input.focus();
	} }, add);
	draw();
	return { element: h("fieldset", { class: "stack tight" }, h("legend", { class: "field-name" }, heading), items, h("div", {}, addButton)), fields: () => list.flatMap((item) => rows.get(item)?.fields ?? []) };
}

/** @param {"captions" | "attachments"} kind @param {Caption | Attachment} item @param {() => void} changed @param {AbortSignal} signal */
function row(kind, item, changed, signal) {
	const file = uploadField(texts[kind].file, { accept: texts[kind].accept, value: item.file, required: () => true, signal, onchange: (uploaded) => {
		item.file = uploaded;
		if ("title" in item && item.title === "") fillIn(fields[0], uploaded.name.replace(/(\.\w+)?, [^,]*$/, ""));
		changed();
	} });
	const fields = "title" in item
		? [field("Title of the file", { name: "attachment-title", value: item.title, required: true, check: checks.title, oninput: (value) => { item.title = value; changed(); } })]
		: [
			field("Language", { name: "caption-language", value: item.language, required: true, placeholder: "en", autocomplete: "off", check: checks.language, oninput: (value) => { item.language = value; changed(); } }),
			field("Name of the language", { name: "caption-label", value: item.label, required: true, check: checks.label, oninput: (value) => { item.label = value; changed(); } }),
		];
	fields[0].input.addEventListener("change", () => { if ("language" in item && item.label === "") fillIn(fields[1], languageName(item.language)); });
	return { element: h("div", { class: "file-row-fields" }, fields.map(({ element }) => element), file.element), fields: [...fields, file] };
}

/** Puts a text into a field as if it were typed. @param {{input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement}} field @param {string} text */
function fillIn({ input }, text) {
	input.value = text;
	input.dispatchEvent(new Event("input"));
}

/** The name of a language in that language, or "". @param {string} tag */
function languageName(tag) {
	try {
		return new Intl.DisplayNames(tag, { type: "language", fallback: "none" }).of(tag) ?? "";
	} catch {
		return "";
	}
}
