// Chapters and lectures of a course: added, renamed, removed and arranged. Chapters are folded, and
// opening one folds the others, unless the reader opens all of them.
import { fill, h } from "../dom.js";
import { ask } from "../components/dialog.js";
import { field, reveal } from "../components/field.js";
import { minutesOf } from "../components/film-length.js";
import { count } from "../format.js";
import { dragHandle } from "./teach-new-drag.js";
import { openingFields, opensNow } from "./course-terms.js";
import { checks, decimal, newChapter, newLecture } from "./teach-new-draft.js";
import { materialFields } from "./teach-new-material.js";
import { moveBy, moveTo, placeOf, remove } from "./teach-new-order.js";

/**
 * @typedef {import("./teach-new-draft.js").Draft} Draft
 * @typedef {import("./teach-new-draft.js").Chapter} Chapter
 * @typedef {import("./teach-new-draft.js").Lecture} Lecture
 * @typedef {Chapter | Lecture} Item
 * The elements of an item. They are made once and moved afterwards, so that fields keep their text
 * and their messages. label shows the number of the item and what else is true after a change.
 * @typedef {{element: HTMLElement, label: (number: string) => void, fields: {input: HTMLElement, valid: () => boolean}[], list?: HTMLElement, details?: HTMLDetailsElement}} Row
 */

/** The name of the chapters of which one is open at a time. */
const exclusive = "chapters";

export class ContentEditor {
	/** @param {Draft} draft @param {() => void} changed is called after each change @param {AbortSignal} signal aborted when the page is left, which ends uploads */
	constructor(draft, changed, signal) {
		this.signal = signal;
		this.draft = draft;
		this.chapters = draft.chapters;
		this.changed = changed;
		/** @type {Map<Item, Row>} */
		this.rows = new Map();
		this.list = h("ol", { class: "plain-list stack" });
		this.spoken = h("p", { class: "visually-hidden", role: "status" });
		this.summary = h("p", { class: "muted small" });
		this.addButton = h("button", { class: "button", type: "button", onclick: () => this.add(this.chapters, newChapter()) }, "Add a chapter");
		this.foldButton = h("button", { class: "button quiet small", type: "button", onclick: () => this.openAll(!this.isAllOpen) }, "Open all chapters");
		this.isAllOpen = false;
		this.element = h("div", { class: "stack" }, h("div", { class: "row spread" }, this.summary, this.foldButton), this.list, h("div", {}, this.addButton), this.spoken);
		this.draw();
	}

	/** Opens all chapters, or folds them: then opening one folds the others. @param {boolean} isOpen */
	openAll(isOpen) {
		this.isAllOpen = isOpen;
		for (const chapter of this.chapters) {
			const details = /** @type {HTMLDetailsElement} */ (this.row(chapter).details);
			details.name = isOpen ? "" : exclusive;
			details.open = isOpen;
		}
		this.foldButton.textContent = isOpen ? "Fold all chapters" : "Open all chapters";
	}

	/** All fields in their order. */
	fields() {
		return this.chapters.flatMap((chapter) => [chapter, ...chapter.lectures]).flatMap((item) => this.row(item).fields);
	}

	/** @param {Item} item @returns {Row} */
	row(item) {
		let row = this.rows.get(item);
		if (!row) this.rows.set(item, (row = "lectures" in item ? chapterRow(item, this) : lectureRow(item, this)));
		return row;
	}

	/** Puts every element in its place. */
	draw() {
		for (const chapter of this.chapters) place(/** @type {HTMLElement} */ (this.row(chapter).list), chapter.lectures.map((lecture) => this.row(lecture).element));
		place(this.list, this.chapters.map((chapter) => this.row(chapter).element));
		this.foldButton.hidden = this.chapters.length < 2;
		this.edited();
	}

	/** What follows a change of any field. */
	edited() {
		this.chapters.forEach((chapter, i) => {
			this.row(chapter).label(`Chapter ${i + 1}`);
			chapter.lectures.forEach((lecture, j) => this.row(lecture).label(`Lecture ${i + 1}.${j + 1}`));
		});
		this.summary.textContent = `${count(this.chapters.length, "chapter")}, ${sumOf(this.chapters)}`;
		this.changed();
	}

	/** @template {Item} T @param {T[]} list @param {T} item */
	add(list, item) {
		list.push(item);
		this.draw();
		this.edit(item);
	}

	/** Moves the focus to the title of an item, which may be in a folded chapter. @param {Item} item */
	edit(item) {
		const { input } = this.row(item).fields[0];
		reveal(input);
		input.focus();
	}

	/** Moves by one place; the button keeps the focus. @param {Item} item @param {number} step @param {HTMLElement} button */
	move(item, step, button) {
		if (!moveBy(item, step, this.chapters)) {
			this.spoken.textContent = step < 0 ? "It is the first already." : "It is the last already.";
			return;
		}
		this.draw();
		button.focus();
		this.spoken.textContent = `Now ${placeOf(item, this.chapters)}.`;
	}

	/** Moves to the place of a dragged-over element. @param {Item} item @param {Element} element @param {boolean} after */
	drop(item, element, after) {
		const target = [...this.rows].find(([, row]) => row.element === element)?.[0];
		if (!target) return;
		moveTo(item, target, after, this.chapters);
		this.draw();
		this.spoken.textContent = `Now ${placeOf(item, this.chapters)}.`;
	}

	/** Removes, after a question if something is typed in it already. @param {Item} item */
	async remove(item) {
		if (!(await mayRemove(item))) return;
		const next = remove(item, this.chapters);
		this.rows.delete(item);
		this.draw();
		if (next) this.edit(next);
		else this.addButton.focus();
		this.spoken.textContent = "Removed.";
	}
}

/** Puts elements into a list if they differ, so that typing does not lose the focus. @param {HTMLElement} list @param {HTMLElement[]} elements */
function place(list, elements) {
	if (list.children.length !== elements.length || elements.some((element, i) => list.children[i] !== element)) fill(list, elements);
}

/** The lectures of chapters and how long they take together. @param {Chapter[]} chapters */
function sumOf(chapters) {
	const lectures = chapters.flatMap((chapter) => chapter.lectures);
	const minutes = lectures.reduce((sum, lecture) => sum + (decimal(lecture.minutes) || 0), 0);
	return `${count(lectures.length, "lecture")}, ${count(Math.round(minutes), "minute")}`;
}

/** @param {Item} item @returns {Promise<boolean>} */
async function mayRemove(item) {
	const lectures = "lectures" in item ? item.lectures : [item];
	if (!item.title && lectures.every((lecture) => !lecture.title && !lecture.url && !lecture.text && !lecture.file && !lecture.assignment.instructions)) return true;
	const kind = "lectures" in item ? "chapter" : "lecture";
	const more = "lectures" in item && item.lectures.length > 0 ? ` Its ${count(item.lectures.length, "lecture")} ${item.lectures.length === 1 ? "goes" : "go"} with it.` : "";
	return ask({ title: `Remove this ${kind}?`, body: h("p", {}, item.title ? ["“", h("bdi", {}, item.title), "”. "] : "", `This cannot be undone.${more}`), action: "Remove", kind: "danger", submit: async () => {} });
}

/** @param {Chapter} chapter @param {ContentEditor} editor @returns {Row} */
function chapterRow(chapter, editor) {
	const legend = h("legend", { class: "visually-hidden" }), heading = h("span", { class: "chapter-title" }), note = h("span", { class: "muted small" });
	const title = field("Title of the chapter", { name: "chapterTitle", value: chapter.title, required: true, check: checks.title, oninput: (value) => { chapter.title = value; editor.edited(); } });
	const opening = openingFields((chapter.opens ??= opensNow()), () => editor.edited());
	const list = h("ol", { class: "plain-list lectures" });
	const details = h("details", {}, h("summary", {}, heading, note), h("fieldset", { class: "stack" }, legend, title.element, opening.element, list,
		h("div", {}, h("button", { class: "button", type: "button", onclick: () => editor.add(chapter.lectures, newLecture()) }, "Add a lecture"))));
	details.name = editor.isAllOpen ? "" : exclusive;
	const element = h("li", { class: "card chapter-edit", "data-drag": "chapter" }, buttons(chapter, "chapter", editor), details);
	const label = (/** @type {string} */ number) => {
		legend.textContent = number;
		fill(heading, number, chapter.title.trim() === "" ? [] : [": ", h("bdi", {}, chapter.title.trim())]);
		note.textContent = sumOf([chapter]);
	};
	return { element, label, get fields() { return [title, ...opening.fields()]; }, list, details };
}

/** @param {Lecture} lecture @param {ContentEditor} editor @returns {Row} */
function lectureRow(lecture, editor) {
	const legend = h("legend", { class: "muted small" });
	const text = (/** @type {string} */ label, /** @type {"title" | "minutes"} */ name, more = {}) => field(label, {
		name: `lecture-${name}`, value: lecture[name], required: true, check: checks[name], oninput: (value) => { lecture[name] = value; editor.edited(); }, ...more });
	const title = text("Title of the lecture", "title");
	const minutes = text("Minutes", "minutes", { inputMode: "decimal", autocomplete: "off" });
	const material = materialFields(lecture, { changed: () => editor.edited(), signal: editor.signal, length: lengthInto(minutes) });
	const free = h("label", { class: "check" }, h("input", { type: "checkbox", checked: lecture.free, onchange: (/** @type {any} */ event) => { lecture.free = event.target.checked; editor.edited(); } }), "Free preview: everyone may open it");
	const element = h("li", { class: "lecture-edit", "data-drag": "lecture" }, h("fieldset", {}, legend,
		h("div", { class: "edit-head" }, title.element, buttons(lecture, "lecture", editor)),
		h("div", { class: "lecture-fields" }, minutes.element, material.kind, material.element, free)));
	return { element, label: (/** @type {string} */ number) => { legend.textContent = number; }, get fields() { return [title, minutes, ...material.fields()]; } };
}

/** Returns what puts the length of a film into the field of the minutes, unless something else was typed there: then it offers to. @param {ReturnType<typeof field>} minutes */
function lengthInto({ element, input, value }) {
	const note = h("p", { class: "hint", role: "status" });
	let filled = "";
	element.append(note);
	return (/** @type {number} */ seconds) => {
		const read = minutesOf(seconds);
		const use = () => {
			input.value = filled = read;
			input.dispatchEvent(new Event("input"));
			note.textContent = "Read from the file.";
		};
		if (value() === "" || value() === filled) use();
		else if (value() !== read) fill(note, `The file has ${read} minutes. `, h("button", { class: "button quiet small", type: "button", onclick: () => { use(); input.focus(); } }, "Use them"));
	};
}

/** @param {Item} item @param {"chapter" | "lecture"} kind @param {ContentEditor} editor */
function buttons(item, kind, editor) {
	const button = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {(button: HTMLElement) => void} */ work) => {
		const made = h("button", { class: "button quiet icon", type: "button", "aria-label": name, title: name, onclick: () => work(made) }, sign);
		return made;
	};
	return h("div", { class: "edit-buttons" }, dragHandle(kind, (target, after) => editor.drop(item, target, after)),
		button("↑", `Move ${kind} up`, (b) => editor.move(item, -1, b)), button("↓", `Move ${kind} down`, (b) => editor.move(item, 1, b)), button("✕", `Remove ${kind}`, () => editor.remove(item)));
}
