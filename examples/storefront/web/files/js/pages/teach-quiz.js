// The quiz of a chapter, written by hand: its questions, how it is taken, and how a student sees it. The
// AI may draft questions. If another person has saved the quiz meanwhile, what was typed stays, and the
// educator decides.
import { fill, h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { busy, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { allValid, field } from "../components/field.js";
import { problemNotice } from "../components/problem.js";
import { quizPreview } from "../components/quiz-preview.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { tabs } from "../components/tabs.js";
import { toast } from "../components/toast.js";
import { part, saveBar } from "./course-form.js";
import { askedOf, draftOf, forgetEdit, keepEdit, mostQuestions, problemOf, readEdit, sentOf, writtenQuestions } from "./teach-quiz-draft.js";
import { exportButton, importButton, importNotice } from "./teach-quiz-file.js";
import { QuestionsEditor } from "./teach-quiz-questions.js";
import { settingsFields } from "./teach-quiz-settings.js";

/** @typedef {import("./teach-quiz-draft.js").Quiz} Quiz @typedef {import("./teach-quiz-draft.js").Edit} Edit */
/** @typedef {{courseId: string, chapterId: string}} Place */
/**
 * What the parts of the page share. stored is the quiz that the server has, or null; draw shows the form of
 * another edit, with a notice above it; tell says whether there is something to save.
 * @typedef {{place: Place, stored: Quiz | null, edit: Edit, region: HTMLElement, deletion: HTMLElement, submit: HTMLButtonElement,
 *   problem: ReturnType<typeof problemNotice>, draw: (edit: Edit, notice?: Node | null) => void, tell: () => void}} View
 */

const formId = "quiz-form";
let heading = "Quiz";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { courseId, chapterId } }) {
	const [{ course }, quiz] = await Promise.all([call("GET /api/educator/courses/{courseId}", { path: { courseId } }), read({ courseId, chapterId })]);
	const chapter = course.courseContent.find((each) => each.chapterId === chapterId);
	if (!chapter) throw new ApiError(404, "This chapter is not part of the course. If you have just added it, save the course first.");
	heading = `Quiz: ${chapter.chapterTitle}`;
	const head = session.role() === "admin" ? adminHead : teachHead;
	const links = h("div", { class: "row" }, h("a", { class: "button", href: pathTo.quizResults(courseId, chapterId) }, "Results"), h("a", { class: "button", href: pathTo.edit(courseId) }, "Edit the course"));
	return [...head(["Quiz: ", h("bdi", {}, chapter.chapterTitle)], `Of the course “${course.courseTitle}”. Students get a change when they begin an attempt after it.`),
		h("div", { class: "stack loose course-form" }, links, editor({ courseId, chapterId }, quiz))];
}

/** The stored quiz, or null. @param {Place} path @returns {Promise<Quiz | null>} */
const read = (path) => call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}", { path }).then(({ quiz }) => quiz, (error) => {
	if (error instanceof ApiError && error.status === 404) return null;
	throw error;
});

/** @param {Quiz | null} quiz @returns {Edit} */
const editOf = (quiz) => ({ version: quiz?.version ?? 0, draft: draftOf(quiz) });

/** @param {Place} place @param {Quiz | null} quiz */
function editor(place, quiz) {
	const region = h("div"), deletion = h("div", { class: "stack loose" }), problem = problemNotice(), state = h("p", { class: "muted small", role: "status" });
	const submit = h("button", { class: "button primary", type: "submit", form: formId }, "Save the quiz");
	/** @type {View} */
	const view = {
		place, stored: quiz, edit: editOf(quiz), region, deletion, submit, problem,
		draw: (edit, notice = null) => { view.edit = edit; problem.hide(); fill(region, notice, form(view)); view.tell(); },
		tell: () => {
			state.textContent = isChanged(view) ? "There are changes to save." : view.stored ? "Everything is saved." : "There is no quiz yet.";
			fill(deletion, filePart(view), view.stored && deletionPart(view));
		},
	};
	const kept = readEdit(place);
	if (kept && isChanged({ ...view, edit: kept })) view.draw(kept, kept.version === view.edit.version ? restored(view) : conflict(view));
	else view.draw(view.edit);
	return h("div", { class: "stack loose" }, region, deletion, saveBar(problem.element, h("div", { class: "row" }, submit, state)));
}

/** @param {View} view */
const isChanged = ({ stored, edit }) => JSON.stringify(edit.draft) !== JSON.stringify(draftOf(stored));

/** @param {View} view */
function form(view) {
	const { draft } = view.edit;
	const changed = () => { keepEdit(view.place, view.edit); view.tell(); };
	const questions = new QuestionsEditor(draft.questions, changed), settings = settingsFields(draft.settings, changed), remark = view.stored && remarkField();
	const edit = h("form", { id: formId, class: "stack loose", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => {
		event.preventDefault();
		busy(view.submit, () => save(view, [...questions.fields(), ...settings.fields], remark?.value()));
	} }, part("Questions", questions.element, ...(session.role() === "admin" ? [] : [h("div", {}, aiButton(view))])), part("How it is taken", settings.element), remark && part("Attempts of before", remark.element));
	const preview = () => h("div", { class: "quiz-preview" }, quizPreview(askedOf(draft), sentOf(view.edit).settings ?? {}));
	return tabs("The quiz", [{ name: "edit", text: "Edit", show: () => edit }, { name: "preview", text: "As a student sees it", show: preview }]);
}

/** Whether attempts of before are marked anew. It is chosen for one save, and not kept. */
const remarkField = () => field("When you save a corrected answer", { name: "quiz-remark", required: true, hint: "For questions whose options are the same. Who gets another percentage is told. Certificates stay.",
	options: [["", "They stay as they are"], ["up", "They gain the points of answers that are right now"], ["all", "They are marked anew, also where that takes points"]] });

/** Sends the quiz, if everything is right. @param {View} view @param {{input: HTMLElement, valid: () => boolean}[]} fields @param {string} [remark] */
async function save(view, fields, remark = "") {
	const { edit, place, problem } = view;
	problem.hide();
	const complete = allValid(fields), wrong = complete ? problemOf(edit.draft) : "Some fields are not right yet. Each says what is wrong.";
	if (wrong) {
		problem.show(wrong);
		if (complete) problem.element.focus();
		return;
	}
	if (!isChanged(view) && remark === "") { toast("There is nothing to save: the quiz is as it was."); return; }
	try {
		const { quiz } = await call("PUT /api/educator/courses/{courseId}/quizzes/{chapterId}", { path: place, body: { ...sentOf(edit), ...(remark && { remark: remark === "all" ? /** @type {const} */ ("all") : true }) } });
		forgetEdit(place);
		view.stored = quiz;
		view.draw(editOf(quiz));
		toast(remark === "" ? "The quiz is saved." : "The quiz is saved. Attempts of before are marked anew within minutes.");
	} catch (error) {
		if (error instanceof ApiError && error.status === 409) {
			view.stored = await read(place);
			view.draw(edit, conflict(view));
			/** @type {HTMLElement} */ (view.region.firstElementChild).focus();
		} else {
			problem.show(error);
			problem.element.focus();
		}
	}
}

/** @param {string} text @param {...Node} buttons */
const notice = (text, ...buttons) => h("div", { class: "notice warn stack tight", role: "alert", tabIndex: -1 }, h("p", {}, text), h("div", { class: "row" }, buttons));

/** @param {View} view @param {string} text */
const discardButton = (view, text) => h("button", { class: "button", type: "button", onclick: () => {
	forgetEdit(view.place);
	view.draw(editOf(view.stored));
} }, text);

/** @param {View} view */
const restored = (view) => notice("What you typed before and did not save is here again.", discardButton(view, "Discard what I typed"));

/** The stored quiz is another one than the form began with: the educator decides which stays. @param {View} view */
const conflict = (view) => notice("The quiz was changed by another person, or in another tab, since you opened it. Nothing of yours is saved yet, and what you typed is still here. Keep what you typed and save it in place of the other change, or discard it and begin with the newest quiz.",
	h("button", { class: "button", type: "button", onclick: () => {
		const edit = { ...view.edit, version: view.stored?.version ?? 0 };
		keepEdit(view.place, edit);
		view.draw(edit);
		view.submit.focus();
	} }, "Keep what I typed"), discardButton(view, "Discard what I typed"));

/** @param {View} view */
function aiButton(view) {
	return dialogButton("Have the AI draft questions", async () => {
		const where = field("Put them", { name: "quiz-where", required: true, options: [["after", "After the questions that are here"], ["instead", "In place of the questions that are here"]] });
		/** @type {import("./teach-quiz-draft.js").WrittenQuiz | undefined} */
		let written;
		const done = await ask({ title: "Have the AI draft questions?", action: "Draft questions",
			body: [h("p", {}, "It writes up to ten questions on this chapter, which takes up to a minute. Correct them, and save. If the AI wrote the quiz that students have now, and nobody has changed it by hand, they get the new questions at once."), where.element],
			submit: async () => { written = (await call("POST /api/quiz/generate", { body: view.place })).quiz; } });
		if (!done || !written) return;
		// A quiz that the AI wrote before is stored at once; then the form goes on from it.
		const isStored = written.version > (view.stored?.version ?? 0);
		if (isStored) view.stored = await read(view.place);
		const { questions, settings } = view.edit.draft, before = where.value() === "instead" ? [] : questions.filter(({ text }) => text.trim() !== "");
		const draft = isStored && before.length === 0 ? draftOf(view.stored) : { questions: [...before, ...writtenQuestions(written)].slice(0, mostQuestions), settings };
		const edit = { version: isStored ? written.version : view.edit.version, draft };
		keepEdit(view.place, edit);
		view.draw(edit);
		toast(isStored ? "Students have the questions of the AI now. Read them, and correct them here." : "The draft is in the form. Read it, correct it, and save.");
	});
}

/** @param {View} view */
function filePart(view) {
	const { place, stored } = view;
	return part("Other learning platforms", h("p", {}, "A quiz comes and goes as a QTI file."), h("div", { class: "row" },
		stored && exportButton(place, `${stored.chapterTitle.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.xml`),
		importButton(place, () => stored?.version ?? 0, (imported) => {
			forgetEdit(place);
			view.stored = imported.quiz;
			view.draw(editOf(view.stored), importNotice(imported));
			/** @type {HTMLElement} */ (view.region.firstElementChild).focus();
		})));
}

/** @param {View} view */
function deletionPart({ place }) {
	const open = async () => {
		const sure = await ask({ title: "Delete this quiz?", kind: "danger", action: "Delete the quiz", body: "Students cannot take it any more, and the AI writes no other in its place. Results stay, and so do attempts that have begun.",
			submit: () => call("DELETE /api/educator/courses/{courseId}/quizzes/{chapterId}", { path: place }) });
		if (!sure) return;
		forgetEdit(place);
		await go(pathTo.edit(place.courseId), { replace: true });
		toast("The quiz is deleted.");
	};
	return part("Delete the quiz", h("div", {}, dialogButton("Delete this quiz", open, { kind: "danger" })));
}
