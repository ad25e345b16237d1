// Publish a course: its texts, price, picture and content. What is typed is kept in this tab, so
// that neither an error nor a reload loses it.
import { fill, h } from "../dom.js";
import { forgetCourses } from "../api.js";
import { busy } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { allValid } from "../components/field.js";
import { teachHead } from "../components/staff-head.js";
import { problemNotice } from "../components/problem.js";
import { explain } from "../components/states.js";
import { toast } from "../components/toast.js";
import { uploadProgress } from "../components/upload-progress.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { part, priceFields, saveBar, textFields, visibility } from "./course-form.js";
import { accessFields } from "./course-terms.js";
import { ContentEditor } from "./teach-new-content.js";
import { clearDraft, problemOf, readDraft, saveDraft } from "./teach-new-draft.js";
import { forgetPicture, pictureField } from "./teach-new-picture.js";
import { currentUpload, startUpload } from "./teach-new-upload.js";

/** @typedef {import("./teach-new-draft.js").Draft} Draft */

export const title = "Publish a course";

/** @param {import("../router.js").Visit} visit */
export function page({ signal }) {
	return [...teachHead("Publish a course", "A title, a picture and one lecture are enough to begin. What you type is kept in this tab until it is published."), form(signal)];
}

/** @param {AbortSignal} signal */
function form(signal) {
	const draft = readDraft();
	const submit = h("button", { class: "button primary", type: "submit" });
	const changed = () => {
		submit.textContent = draft.published ? "Publish the course" : "Keep as a draft";
		saveDraft(draft);
	};
	const texts = textFields({ draft, changed });
	const cost = priceFields({ draft, changed });
	const access = accessFields({ terms: draft.terms, changed, signal });
	const picture = pictureField(signal);
	const content = new ContentEditor(draft, changed, signal);
	if (draft.chapters.length === 1) content.openAll(true);
	const problem = problemNotice();
	const state = h("div", {});
	const fields = () => [...texts.fields, ...cost.fields, ...access.fields, picture, ...content.fields()];
	const element = h("form", { class: "stack loose course-form", noValidate: true, "data-kept": "", onsubmit: (/** @type {Event} */ event) => {
		event.preventDefault();
		busy(submit, () => publish({ draft, fields, file: picture.file, problem, state, signal }));
	} },
		part("About the course", texts.element, picture.element), part("Price", cost.element), part("Access", access.element), part("Content", content.element),
		part("Who can see it", visibility({ draft, changed }, ["Publish now", "Everyone finds it in the catalogue and can enrol at once."], ["Keep as a draft", "Only you see it, among your courses."])), saveBar(problem.element, state, h("div", { class: "row" }, submit, startAfresh())));
	const upload = currentUpload();
	if (upload) busy(submit, () => follow(upload, { draft, problem, state, signal }));
	return element;
}

function startAfresh() {
	return h("button", { class: "button quiet", type: "button", onclick: () => ask({
		title: "Clear the form?", body: h("p", {}, "All that you have typed here is removed. This cannot be undone."), action: "Clear the form", kind: "danger",
		submit: async () => { forget(); go("/teach/new", { replace: true }); },
	}) }, "Clear the form");
}

function forget() {
	clearDraft();
	forgetPicture();
}

/** @typedef {{draft: Draft, fields: () => {input: HTMLElement, valid: () => boolean}[], file: () => File | null, problem: ReturnType<typeof problemNotice>, state: HTMLElement, signal: AbortSignal}} Form */

/** Sends the course if everything is right. @param {Form} form */
async function publish({ draft, fields, file, ...form }) {
	form.problem.hide();
	const picture = file();
	const complete = allValid(fields());
	const wrong = complete && picture ? problemOf(draft) : "Some fields are not right yet. Each says what is wrong.";
	if (wrong || !picture) {
		form.problem.show(wrong);
		if (complete) form.problem.element.focus();
		return;
	}
	const upload = startUpload(draft, picture);
	upload.finished.then(() => published(draft), (error) => { if (form.signal.aborted) toast(`“${draft.title.trim()}” was not published. ${explain(error)}`, "bad"); });
	await follow(upload, { draft, ...form });
}

/** @param {Draft} draft */
function published({ title, published }) {
	forget();
	forgetCourses();
	toast(published ? `“${title.trim()}” is published.` : `“${title.trim()}” is kept as a draft.`);
}

/** Shows an upload until it ends, and then the course or what went wrong, if the reader is still here. @param {import("./teach-new-upload.js").Upload} upload @param {Pick<Form, "draft" | "problem" | "state" | "signal">} form */
async function follow(upload, { draft, problem, state, signal }) {
	fill(state, uploadState(upload));
	try {
		const courseId = await upload.finished;
		if (!signal.aborted) await go(draft.published ? pathTo.course(courseId) : "/teach", { replace: true });
	} catch (error) {
		problem.show(error);
		problem.element.focus();
	} finally {
		fill(state);
	}
}

/** How far an upload is, with a button that cancels it. @param {import("./teach-new-upload.js").Upload} upload */
function uploadState(upload) {
	const sending = uploadProgress("course");
	const text = h("p", { role: "status" });
	const cancel = h("button", { class: "button", type: "button", onclick: upload.cancel }, "Cancel");
	const show = () => {
		sending.tell(upload.sent);
		cancel.hidden = upload.sent === 1;
		text.textContent = upload.sent === 1 ? "Sent. The server prepares the picture…" : "Sending… You may look at other pages meanwhile.";
	};
	sending.start(upload.picture);
	upload.watch(show);
	show();
	return h("div", { class: "notice stack tight" }, text, sending.element, h("div", {}, cancel));
}
