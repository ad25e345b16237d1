// The notes of a student in a course, beside the lecture: a note at the second that is shown, and a
// way back to it.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { clock, count } from "../format.js";
import { pathTo } from "../paths.js";
import { dialogButton } from "./button.js";
import { ask } from "./dialog.js";
import { keepDraft } from "./draft.js";
import { allValid } from "./field.js";
import { form } from "./form.js";
import { limited } from "./limited.js";
import { prose } from "./prose.js";
import { toast } from "./toast.js";

/** @typedef {import("../types").Answer<"GET /api/user/notes">["notes"][number]} Note */
/** player is the video or sound of the lecture, if it is one. @typedef {{courseId: string, lectureId: string, titles: Map<string, string>, player: HTMLMediaElement | null}} Place */

const longest = 5000;

/** @param {Place} place titles are those of the lectures, in their order */
export const notesPanel = (place) => h("section", { class: "card pad stack notes" }, h("h2", { class: "aside-title" }, "Your notes"),
	load(() => call("GET /api/user/notes", { query: { courseId: place.courseId } }), ({ notes }) => panel(notes, place)));

/** @param {Note[]} notes @param {Place} place */
function panel(notes, place) {
	const list = h("div", { class: "stack" });
	const draw = () => fill(list, here(notes, place, draw), elsewhere(notes, place));
	draw();
	return h("div", { class: "stack" }, noteForm(notes, place, draw), list);
}

/** @param {Note[]} notes @param {Place} place @param {() => void} draw */
function noteForm(notes, { courseId, lectureId, player }, draw) {
	const text = limited("Note", { name: "note", max: longest, rows: 3, required: true });
	const forget = keepDraft(`note.${courseId}.${lectureId}`, [text]);
	const made = form([text], { action: "Add the note", submit: async () => {
		const seconds = player ? player.currentTime : undefined;
		const { note } = await call("POST /api/user/notes", { body: { courseId, lectureId, seconds, text: text.value() } });
		notes.push(note);
		text.set("");
		forget();
		draw();
		text.input.focus();
		toast("The note is kept. Only you can read it.");
	} });
	const button = /** @type {HTMLElement} */ (made.querySelector("button[type=submit]"));
	const tell = () => { button.textContent = player ? `Add the note at ${clock(player.currentTime)}` : "Add the note"; };
	for (const event of ["timeupdate", "seeked"]) player?.addEventListener(event, tell);
	tell();
	return made;
}

/** The notes of this lecture. @param {Note[]} notes @param {Place} place @param {() => void} draw */
function here(notes, { lectureId, player }, draw) {
	const own = notes.filter((note) => note.lectureId === lectureId).sort((a, b) => (a.seconds ?? -1) - (b.seconds ?? -1));
	if (own.length === 0) return h("p", { class: "muted small" }, "No notes at this lecture yet.");
	return h("ul", { class: "plain-list stack tight" }, own.map((note) => h("li", { class: "note" },
		note.seconds !== null && h("button", { class: "button small", type: "button", disabled: !player, "aria-label": `Go to ${clock(note.seconds)}`, onclick: () => jump(player, note.seconds ?? 0) }, clock(note.seconds)),
		h("div", { class: "grow" }, prose(note.text)),
		h("div", { class: "row" }, editButton(note, draw), deleteButton(note, notes, draw)))));
}

/** @param {HTMLMediaElement | null} player @param {number} seconds */
function jump(player, seconds) {
	if (!player) return;
	player.currentTime = seconds;
	player.scrollIntoView({ block: "nearest" });
}

/** The notes of other lectures, each with a link that opens the lecture at its second. @param {Note[]} notes @param {Place} place */
function elsewhere(notes, { courseId, lectureId, titles }) {
	const others = notes.filter((note) => note.lectureId !== lectureId && titles.has(note.lectureId));
	if (others.length === 0) return null;
	const order = [...titles.keys()];
	others.sort((a, b) => order.indexOf(a.lectureId) - order.indexOf(b.lectureId) || (a.seconds ?? -1) - (b.seconds ?? -1));
	return h("details", {}, h("summary", {}, count(others.length, "note at other lectures", "notes at other lectures")), h("ul", { class: "plain-list stack tight" }, others.map((note) => h("li", { class: "note" },
		h("a", { href: pathTo.lecture(courseId, note.lectureId) + (note.seconds === null ? "" : `?at=${note.seconds}`) }, h("bdi", {}, titles.get(note.lectureId)), note.seconds !== null && `, ${clock(note.seconds)}`), prose(note.text)))));
}

/** @param {Note} note @param {() => void} draw */
function editButton(note, draw) {
	return dialogButton("Edit", async () => {
		const text = limited("Note", { name: "note", max: longest, rows: 5, required: true, value: note.text });
		const done = await ask({ title: "Edit the note", action: "Save the note", body: text.element, check: () => allValid([text]),
			submit: async () => Object.assign(note, (await call("PATCH /api/user/notes/{noteId}", { path: { noteId: note._id }, body: { text: text.value() } })).note) });
		if (done) draw();
	}, { kind: "quiet small", name: `Edit the note: ${begin(note.text)}` });
}

/** @param {Note} note @param {Note[]} notes @param {() => void} draw */
function deleteButton(note, notes, draw) {
	return dialogButton("Delete", async () => {
		const sure = await ask({ title: "Delete this note?", kind: "danger", action: "Delete the note", body: h("blockquote", { class: "preserve", dir: "auto" }, begin(note.text)), submit: () => call("DELETE /api/user/notes/{noteId}", { path: { noteId: note._id } }) });
		if (!sure) return;
		notes.splice(notes.indexOf(note), 1);
		draw();
	}, { kind: "quiet small", name: `Delete the note: ${begin(note.text)}` });
}

/** The beginning of a note. @param {string} text */
const begin = (text) => (text.length > 80 ? [...text].slice(0, 80).join("") + "…" : text);
