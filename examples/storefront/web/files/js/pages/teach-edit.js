// Edit a course: the same form as for a new one, with its picture and its deletion below. If another
// person has saved a change meanwhile, what was typed stays, on top of the newest state.
import { fill, h, load } from "../dom.js";
import { ApiError, call, forgetCourses } from "../api.js";
import { session } from "../session.js";
import { go } from "../router.js";
import { busy, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { allValid } from "../components/field.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { explain } from "../components/states.js";
import { toast } from "../components/toast.js";
import { complain, part, priceFields, textFields, visibility } from "./course-form.js";
import { changesOf, draftOf, forgetEdit, keepEdit, readEdit, rebase } from "./teach-edit-draft.js";
import { picturePart } from "./teach-edit-picture.js";
import { ContentEditor } from "./teach-new-content.js";
import { problemOf } from "./teach-new-draft.js";

/** @typedef {import("./teach-edit-draft.js").Course} Course */
/** @typedef {import("./teach-edit-draft.js").Edit} Edit */
/** What the parts of the page share. draw shows the form of another edit, with a notice above it. @typedef {{edit: Edit, region: HTMLElement, draw: (edit: Edit, notice?: Node | null) => void}} View */

export const title = "Edit a course";

/** @param {import("../router.js").Visit} visit */
export function page({ params: { courseId }, signal }) {
	const head = session.role() === "admin" ? adminHead : teachHead;
	return [...head("Edit a course", "Students see a change as soon as you save it. What you type is kept in this tab until then."),
		load(() => read(courseId, signal), (course) => editor(course, signal))];
}

/** @param {string} courseId @param {AbortSignal} [signal] */
const read = async (courseId, signal) => (await call("GET /api/educator/courses/{courseId}", { path: { courseId }, signal })).course;

/** @param {Course} course @param {AbortSignal} signal */
function editor(course, signal) {
	const region = h("div", {});
	/** @type {View} */
	const view = { edit: { base: course, draft: draftOf(course) }, region, draw: (edit, notice = null) => { view.edit = edit; fill(region, notice, form(view)); } };
	const kept = readEdit(course._id);
	if (kept && Object.keys(changesOf(kept.base, kept.draft)).length > 0) restore(view, kept, course);
	else view.draw(view.edit);
	return h("div", { class: "stack loose course-form" }, region,
		picturePart(course, signal, async () => { const { edit } = rebase(view.edit, await read(course._id)); view.draw(edit); }), deletion(course));
}

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
	const shared = { draft, changed: () => keepEdit(view.edit) };
	const texts = textFields(shared), cost = priceFields(shared), content = new ContentEditor(draft, shared.changed);
	const problem = h("div", { class: "notice bad", role: "alert", tabIndex: -1, hidden: true });
	const submit = h("button", { class: "button primary", type: "submit" }, "Save the changes");
	const fields = () => [...texts.fields, ...cost.fields, ...content.fields()];
	return h("form", { class: "stack loose", noValidate: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); busy(submit, () => save(view, fields(), problem)); } },
		part("About the course", texts.element), part("Price", cost.element), part("Content", content.element),
		part("Who can see it", visibility(shared, ["Published", "Everyone finds it in the catalogue and can enrol."],
			["Not published", "It is not in the catalogue and cannot be bought. Students who are enrolled keep everything, and an order that is open can still be paid."])),
		problem, h("div", { class: "row" }, submit));
}

/** Sends what has changed, if everything is right. @param {View} view @param {{input: HTMLElement, valid: () => boolean}[]} fields @param {HTMLElement} problem */
async function save(view, fields, problem) {
	const { edit: { base, draft } } = view;
	problem.hidden = true;
	const complete = allValid(fields);
	const wrong = complete ? problemOf(draft) : "Some fields are not right yet. Each says what is wrong.";
	if (wrong) {
		complain(problem, wrong);
		if (complete) problem.focus();
		return;
	}
	const changes = changesOf(base, draft);
	if (Object.keys(changes).length === 0) { toast("There is nothing to save: the course is as it was."); return; }
	try {
		const { course } = await call("PATCH /api/educator/courses/{courseId}", { path: { courseId: base._id }, body: { version: base.version, ...changes } });
		saved(view, course, draft.published !== base.isPublished);
	} catch (error) {
		await refused(view, error, problem);
	}
}

/** @param {View} view @param {Course} course @param {boolean} moved whether the course was published or unpublished */
function saved({ edit }, course, moved) {
	edit.base = course;
	forgetEdit(course._id);
	forgetCourses();
	toast(!moved ? "The changes are saved." : course.isPublished ? "The course is published." : "The course is no longer published.");
}

/** Shows why a change was refused; if the course has changed, together with the newest state. @param {View} view @param {unknown} error @param {HTMLElement} problem */
async function refused(view, error, problem) {
	if (error instanceof ApiError && error.status === 409) {
		const { edit, both } = rebase(view.edit, await read(view.edit.base._id));
		keepEdit(edit);
		view.draw(edit, conflictNotice(view, both));
		/** @type {HTMLElement} */ (view.region.firstElementChild).focus();
		return;
	}
	complain(problem, explain(error));
	problem.focus();
}

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
