// Edit a course: the same form as for a new one, with its picture and its deletion below. If another
// person has saved a change meanwhile, what was typed stays, on top of the newest state.
import { fill, h } from "../dom.js";
import { ApiError, call, forgetCourses, request } from "../api.js";
import { pathTo } from "../paths.js";
import { go, setTitle } from "../router.js";
import { session } from "../session.js";
import { actionButton, busy, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { allValid } from "../components/field.js";
import { problemNotice } from "../components/problem.js";
import { saveFile } from "../components/save-file.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { toast } from "../components/toast.js";
import { part, priceFields, saveBar, textFields, visibility } from "./course-form.js";
import { accessFields, certificateChoice } from "./course-terms.js";
import { changesOf, draftOf, forgetEdit, keepEdit, readEdit, rebase, sentOf } from "./teach-edit-draft.js";
import { picturePart } from "./teach-edit-picture.js";
import { ContentEditor } from "./teach-new-content.js";
import { problemOf } from "./teach-new-draft.js";

/** @typedef {import("./teach-edit-draft.js").Course} Course */
/** @typedef {import("./teach-edit-draft.js").Edit} Edit */
/**
 * What the parts of the page share. draw shows the form of another edit, with a notice above it; tell
 * says whether there is something to save; name is the name of the course in the heading.
 * @typedef {{edit: Edit, region: HTMLElement, submit: HTMLButtonElement, problem: ReturnType<typeof problemNotice>,
 *   name: HTMLElement, signal: AbortSignal, draw: (edit: Edit, notice?: Node | null) => void, tell: () => void}} View
 */

let heading = "";
export const title = () => heading;

const formId = "course-form";

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { courseId }, signal }) {
	const course = await read(courseId, signal);
	heading = headingOf(course);
	const name = h("bdi", {}, course.courseTitle), head = session.role() === "admin" ? adminHead : teachHead;
	return [...head(["Edit ", name], "Students see a change as soon as you save it. What you type is kept in this tab until then."), editor(course, name, signal)];
}

/** @param {Course} course */
const headingOf = (course) => `Edit ${course.courseTitle}`;

/** @param {string} courseId @param {AbortSignal} [signal] */
const read = async (courseId, signal) => (await call("GET /api/educator/courses/{courseId}", { path: { courseId }, signal })).course;

/** @param {Course} course @param {HTMLElement} name @param {AbortSignal} signal */
function editor(course, name, signal) {
	const region = h("div", {}), problem = problemNotice(), state = h("p", { class: "muted small", role: "status" });
	const submit = h("button", { class: "button primary", type: "submit", form: formId }, "Save the changes");
	/** @type {View} */
	const view = {
		edit: { base: course, draft: draftOf(course) }, region, submit, problem, name, signal,
		draw: (edit, notice = null) => { view.edit = edit; problem.hide(); fill(region, notice, form(view)); view.tell(); },
		tell: () => { state.textContent = isChanged(view.edit) ? "There are changes to save." : "Everything is saved."; },
	};
	const kept = readEdit(course._id);
	if (kept && isChanged(kept)) restore(view, kept, course);
	else view.draw(view.edit);
	const asStudent = h("a", { class: "button", href: pathTo.preview(course._id) }, "View as a student"), announce = h("a", { class: "button", href: pathTo.announce(course._id) }, "Announcements");
	const hasAssignment = course.courseContent.some(({ chapterContent }) => chapterContent.some(({ kind }) => kind === "assignment"));
	return h("div", { class: "stack loose course-form" }, h("div", { class: "row" }, asStudent, announce, hasAssignment && h("a", { class: "button", href: pathTo.submissions(course._id) }, "Submissions")), region,
		quizPart(course), picturePart(course, signal, async () => { const { edit } = rebase(view.edit, await read(course._id)); view.draw(edit); }), packagePart(course, signal), deletion(course),
		saveBar(problem.element, h("div", { class: "row" }, submit, state)));
}

/** @param {Edit} edit */
const isChanged = ({ base, draft }) => Object.keys(changesOf(base, draft)).length > 0;

/** Shows what was typed before a reload, on top of the newest state. @param {View} view @param {Edit} kept @param {Course} course */
function restore(view, kept, course) {
	const { edit, both } = rebase(kept, course);
	view.draw(edit, kept.base.version === course.version ? notice(view, "What you typed before and did not save is here again.") : conflictNotice(view, both));
}

/** @param {View} view @param {string} text */
function notice(view, text) {
	return h("div", { class: "notice warn stack tight", role: "alert", tabIndex: -1 }, h("p", {}, text),
		h("div", {}, h("button", { class: "button", type: "button", onclick: () => discard(view) }, "Discard what I typed")));
}

/** @param {View} view */
function discard({ edit: { base }, draw, region }) {
	forgetEdit(base._id);
	draw({ base, draft: draftOf(base) });
	region.querySelector("input")?.focus();
}

/** @param {View} view @param {string[]} both */
const conflictNotice = (view, both) => notice(view, "The course was changed by another person, or in another tab, since you opened it. Nothing of yours is saved yet, and what you typed is still here, on top of the newest state. "
	+ (both.length > 0 ? `The other change is about ${both.join(", ")} too: saving puts yours in its place.` : "The other change is about other fields: save again to have both."));

/** @param {View} view */
function form(view) {
	const { draft } = view.edit;
	const shared = { draft, changed: () => { keepEdit(view.edit); view.tell(); } };
	const texts = textFields(shared), cost = priceFields(shared), terms = { terms: draft.terms, changed: shared.changed }, access = accessFields({ ...terms, courseId: view.edit.base._id, signal: view.signal }), content = new ContentEditor(draft, shared.changed, view.signal);
	const fields = () => [...texts.fields, ...cost.fields, ...access.fields, ...content.fields()];
	return h("form", { id: formId, class: "stack loose", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); busy(view.submit, () => save(view, fields())); } },
		part("About the course", texts.element), part("Price", cost.element), part("Access and certificate", access.element, certificateChoice(terms)), part("Content", content.element),
		part("Who can see it", visibility(shared, ["Published", "Everyone finds it in the catalogue and can enrol."],
			["Not published", "It is not in the catalogue and cannot be bought. Students who are enrolled keep everything, and an order that is open can still be paid."])));
}

/** Sends what has changed, if everything is right. @param {View} view @param {{input: HTMLElement, valid: () => boolean}[]} fields */
async function save(view, fields) {
	const { edit: { base, draft }, problem } = view;
	problem.hide();
	const complete = allValid(fields), changes = sentOf(base, draft);
	const wrong = complete ? problemOf(draft, changes) : "Some fields are not right yet. Each says what is wrong.";
	if (wrong) {
		problem.show(wrong);
		if (complete) problem.element.focus();
		return;
	}
	if (Object.keys(changes).length === 0) { toast("There is nothing to save: the course is as it was."); return; }
	try {
		const { course } = await call("PATCH /api/educator/courses/{courseId}", { path: { courseId: base._id }, body: { version: base.version, ...changes } });
		saved(view, course, draft.published !== base.isPublished);
	} catch (error) {
		await refused(view, error);
	}
}

/** @param {View} view @param {Course} course @param {boolean} moved whether the course was published or unpublished */
function saved({ edit, name, tell }, course, moved) {
	edit.base = course;
	forgetEdit(course._id);
	forgetCourses();
	tell();
	name.textContent = course.courseTitle;
	setTitle(headingOf(course));
	toast(!moved ? "The changes are saved." : course.isPublished ? "The course is published." : "The course is no longer published.");
}

/** Shows why a change was refused; if the course has changed, together with the newest state. @param {View} view @param {unknown} error */
async function refused(view, error) {
	if (error instanceof ApiError && error.status === 409) {
		const { edit, both } = rebase(view.edit, await read(view.edit.base._id));
		keepEdit(edit);
		view.draw(edit, conflictNotice(view, both));
		/** @type {HTMLElement} */ (view.region.firstElementChild).focus();
		return;
	}
	view.problem.show(error);
	view.problem.element.focus();
}

/** The quizzes of the chapters that are saved. @param {Course} course */
const quizPart = ({ _id, courseContent }) => part("Quizzes", h("p", {}, "Students are led to a quiz where there is one. Write it, or have the AI draft it and correct it."),
	h("details", {}, h("summary", {}, "Quizzes of the chapters"), h("ul", { class: "plain-list stack tight chapter-quizzes" }, courseContent.map(({ chapterId, chapterTitle, hasQuiz }) => h("li", { class: "row spread" }, h("span", { class: "grow" }, h("bdi", {}, chapterTitle)),
		h("a", { class: "button small", href: pathTo.editQuiz(_id, chapterId), "aria-label": `${hasQuiz ? "Edit the quiz" : "Write a quiz"}: ${chapterTitle}` }, hasQuiz ? "Edit the quiz" : "Write a quiz"))))));

/** @param {Course} course @param {AbortSignal} signal */
const packagePart = (course, signal) => part("Take the course along", h("p", {}, "A zip with all that the course has, its files and quizzes too. Import it here or on another server: that makes a new draft. What is typed above and not saved is not in it."),
	h("div", {}, actionButton("Export the course", async () => {
		await saveFile(await request("GET", `/api/educator/courses/${encodeURIComponent(course._id)}/package`, { accept: "application/zip", signal }), `${course.courseTitle.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.zip`);
		toast("The course is saved as a zip.");
	})));

/** @param {Course} course */
function deletion(course) {
	const open = async () => {
		const sure = await ask({ title: "Delete this course?", kind: "danger", action: "Delete the course",
			body: h("p", {}, "“", h("bdi", {}, course.courseTitle), "” is deleted with its quizzes and its picture. This cannot be undone."),
			submit: () => call("DELETE /api/educator/courses/{courseId}", { path: { courseId: course._id } }) });
		if (!sure) return;
		forgetEdit(course._id);
		forgetCourses();
		await go(session.role() === "admin" ? "/admin/courses" : "/teach", { replace: true });
		toast("The course is deleted.");
	};
	return part("Delete the course", h("p", {}, "A course that has students, had students or was ordered cannot be deleted: choose “Not published” above instead."),
		h("div", {}, dialogButton("Delete this course", open, { kind: "danger" })));
}
