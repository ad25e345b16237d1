// The picture of a new course: chosen or dropped, checked before it is sent, and shown as it will be.
import { fill, h } from "../dom.js";
import { session } from "../session.js";

const types = ["image/jpeg", "image/png", "image/webp"];
const largest = 5 << 20;

/** The picture that was chosen, kept while the reader is on other pages. @type {{file: File, owner: string, of: string} | null} */
let kept = null;
const owner = () => session.writer();

export const forgetPicture = () => { kept = null; };

/**
 * The field of the picture. file returns the chosen file; valid says beside the field if there is none.
 * @param {AbortSignal} signal aborted when the page is left
 * @param {{of?: string, current?: string, onchange?: (chosen: boolean) => void}} [options] of is the id of a course that exists, current the address of its picture
 */
export function pictureField(signal, { of = "", current = "", onchange } = {}) {
	const input = h("input", { type: "file", id: "course-picture", class: "visually-hidden", accept: types.join(","), "aria-describedby": "course-picture-hint course-picture-problem", onchange: () => choose(input.files?.[0]) });
	const problem = h("p", { class: "problem", id: "course-picture-problem", role: "alert", hidden: true });
	const preview = h("div", { class: "thumbnail picture-preview" });
	const text = h("span", {}, "");
	let address = "";
	const say = (/** @type {string} */ words) => { problem.textContent = words; problem.hidden = words === ""; };
	const show = () => {
		URL.revokeObjectURL(address);
		const file = chosen(of);
		address = file ? URL.createObjectURL(file) : "";
		text.textContent = file ? `${file.name}, ${size(file)}. Choose another` : "Choose a picture";
		fill(preview, file ? h("img", { src: address, alt: `Preview of ${file.name}`, onerror: () => refuse("This file is not a picture that can be shown. Choose another.") })
			: current ? h("img", { src: current, alt: "The current picture" }) : h("span", { class: "muted" }, "Drop a picture here"));
		onchange?.(file !== null);
	};
	const refuse = (/** @type {string} */ words) => { forgetPicture(); show(); say(words); };
	const choose = (/** @type {File | undefined} */ file) => {
		if (!file) return;
		input.value = "";
		const wrong = problemOf(file);
		if (wrong) { say(wrong); return; }
		kept = { file, owner: owner(), of };
		say("");
		show();
	};
	signal.addEventListener("abort", () => URL.revokeObjectURL(address));
	show();
	const element = h("div", { class: "field picture-field", ...dropping(choose) }, current ? null : h("span", { class: "field-name" }, "Picture"), preview, input,
		h("label", { class: "button picture-button", for: "course-picture" }, text),
		h("p", { class: "hint", id: "course-picture-hint" }, "JPEG, PNG or WebP, up to 5 MB. Wide pictures (16:9) fit best."), problem);
	return { element, input, file: () => chosen(of), /** Shows another picture of the course. */ show: (/** @type {string} */ url) => { current = url; show(); }, valid: () => { if (!chosen(of)) say(problem.textContent || "Choose a picture for the course."); return chosen(of) !== null; } };
}

/** @param {string} of @returns {File | null} */
const chosen = (of) => (kept && kept.owner === owner() && kept.of === of ? kept.file : null);

/** @param {File} file */
function problemOf(file) {
	if (!types.includes(file.type)) return `${file.name} is not a JPEG, PNG or WebP picture. Choose another.`;
	return file.size > largest ? `${file.name} has ${size(file)}; at most 5 MB can be sent. Make it smaller, or choose another.` : "";
}

/** @param {File} file */
const size = (file) => (file.size < 1 << 20 ? `${Math.ceil(file.size / 1024)} KB` : `${(file.size / (1 << 20)).toFixed(1)} MB`);

/** Listeners of an element on which a file can be dropped. @param {(file: File | undefined) => void} choose */
function dropping(choose) {
	const mark = (/** @type {DragEvent} */ event, /** @type {boolean} */ over) => {
		event.preventDefault();
		/** @type {HTMLElement} */ (event.currentTarget).classList.toggle("dropping", over);
	};
	return {
		ondragover: (/** @type {DragEvent} */ event) => mark(event, true),
		ondragleave: (/** @type {DragEvent} */ event) => mark(event, false),
		ondrop: (/** @type {DragEvent} */ event) => { mark(event, false); choose(event.dataTransfer?.files[0]); },
	};
}
