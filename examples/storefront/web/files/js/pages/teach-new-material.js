// What a lecture is, in the form of a course: its kind and, by kind, a web address, a file, captions
// and a text; and the files that belong to it.
import { fill, h } from "../dom.js";
import { session } from "../session.js";
import { field } from "../components/field.js";
import { filmLength } from "../components/film-length.js";
import { markdown } from "../components/markdown.js";
import { uploadField } from "../components/upload-field.js";
import { assignmentFields } from "./teach-new-assignment.js";
import { checks } from "./teach-new-draft.js";
import { fileRows } from "./teach-new-files.js";

/** @typedef {import("./teach-new-draft.js").Lecture} Lecture */
/** @typedef {{input: HTMLElement, valid: () => boolean}} Field */

/** The kinds; a lecture without one is an address. @type {[string, string][]} */
const kinds = [["address", "Web address"], ["video", "Video"], ["audio", "Audio"], ["text", "Text"], ["file", "File"], ["embed", "Page of another site"], ["assignment", "Assignment"]];
/** The types of files that a browser offers, by kind. @type {Record<string, string>} */
const accepted = { video: "video/mp4,video/webm", audio: "audio/*,.mp3,.m4a,.ogg", file: "" };
const urls = { "": "Web address of the video or page", video: "Web address of the video", audio: "Web address of the sound", embed: "Web address of the page" };

/** @param {Lecture} lecture @param {{changed: () => void, signal: AbortSignal, length: (seconds: number) => void}} editor length is called with that of a film or sound which is chosen */
export function materialFields(lecture, { changed, signal, length }) {
	const region = h("div", { class: "stack" });
	/** @type {ReturnType<typeof partsOf>} */
	let parts = [];
	const draw = () => {
		parts = partsOf(lecture, changed, signal, length);
		fill(region, parts.map(({ element }) => element));
	};
	// A lecture that has a kind cannot go back to having none.
	const kind = field("Kind", { name: "lecture-kind", required: true, value: lecture.kind || "address", options: lecture.kind === "" ? kinds : kinds.slice(1), oninput: (value) => { lecture.kind = value === "address" ? "" : /** @type {Lecture["kind"]} */ (value); draw(); changed(); } });
	draw();
	return { kind: kind.element, element: region, fields: () => parts.flatMap(({ fields }) => fields()) };
}

/** The parts of the form that the kind of a lecture needs. @param {Lecture} lecture @param {() => void} changed @param {AbortSignal} signal @param {(seconds: number) => void} length @returns {{element: HTMLElement, fields: () => Field[]}[]} */
function partsOf(lecture, changed, signal, length) {
	const { kind } = lecture, one = (/** @type {Field & {element: HTMLElement}} */ f) => ({ element: f.element, fields: () => [f] });
	const url = () => one(field(urls[/** @type {keyof typeof urls} */ (kind)], { name: "lecture-url", type: "url", value: lecture.url, required: kind === "" || kind === "embed", placeholder: "https://", autocomplete: "off",
		hint: kind === "embed" ? "Of YouTube, Vimeo, or another site that this server allows." : kind === "" ? "" : "Instead of a file.", check: kind === "embed" ? checks.embed : checks.url, oninput: (value) => { lecture.url = value; changed(); } }));
	if (kind === "") return [url()];
	if (kind === "assignment") return [assignmentFields(lecture.assignment, changed), ...(session.role() === "admin" ? [] : [fileRows("attachments", lecture.attachments, changed, signal)])];
	const mayUpload = session.role() !== "admin";
	const parts = [];
	if (kind in accepted && mayUpload) parts.push(one(uploadField(kind === "video" ? "Video file" : kind === "audio" ? "Audio file" : "File of the lecture", { accept: accepted[kind], value: lecture.file, required: () => kind === "file" || lecture.url.trim() === "", signal, onchange: (file) => { lecture.file = file; changed(); },
		onchoose: kind === "file" ? undefined : async (file) => { const seconds = await filmLength(file, kind === "audio"); if (seconds !== null) length(seconds); } })));
	if (kind === "embed" || ((kind === "video" || kind === "audio") && !lecture.file)) parts.push(url());
	if ((kind === "video" || kind === "audio") && mayUpload) parts.push(fileRows("captions", lecture.captions, changed, signal));
	parts.push(textPart(lecture, changed));
	if (mayUpload) parts.push(fileRows("attachments", lecture.attachments, changed, signal));
	else parts.push({ element: h("p", { class: "muted small" }, "Only the educator of the course can upload files."), fields: () => [] });
	return parts;
}

/** @param {Lecture} lecture @param {() => void} changed */
function textPart(lecture, changed) {
	const text = field(lecture.kind === "text" ? "Text" : "Text below it", { name: "lecture-text", value: lecture.text, rows: lecture.kind === "text" ? 12 : 4, required: lecture.kind === "text", check: checks.text,
		hint: "Markdown: # heading, **bold**, - list, | table |, ``` code.", oninput: (value) => { lecture.text = value; changed(); preview.hidden = true; } });
	const preview = h("div", { class: "text-preview", hidden: true });
	const button = h("button", { class: "button small", type: "button", onclick: () => { preview.hidden = lecture.text.trim() === ""; fill(preview, markdown(lecture.text)); } }, "Preview the text");
	return { element: h("div", { class: "stack tight" }, text.element, h("div", {}, button), preview), fields: () => [text] };
}
