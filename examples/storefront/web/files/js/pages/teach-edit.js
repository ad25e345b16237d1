// Edit a course: the same form as for a new one, with its picture and its deletion below.
import { h } from "../dom.js";
import { call, forgetCourses, request } from "../api.js";
import { pathTo } from "../paths.js";
import { go, setTitle } from "../router.js";
import { session } from "../session.js";
import { actionButton, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { saveFile } from "../components/save-file.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { toast } from "../components/toast.js";
import { part, priceFields, textFields, visibility } from "./course-form.js";
import { accessFields, certificateChoice } from "./course-terms.js";
import { EditView } from "./edit-view.js";
import { courseEdits, sentOf } from "./teach-edit-draft.js";
import { picturePart } from "./teach-edit-picture.js";
import { ContentEditor } from "./teach-new-content.js";
import { problemOf } from "./teach-new-draft.js";

/** @typedef {import("./teach-edit-draft.js").Course} Course */
/** @typedef {EditView<Course, import("./teach-new-draft.js").Draft, ReturnType<typeof import("./teach-new-draft.js").courseData>>} View */

let heading = "";
export const title = () => heading;

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
	const path = { courseId: course._id };
	/** @type {View} */
	const view = new EditView(course, {
		noun: "course", edits: courseEdits, sent: sentOf, wrong: problemOf, parts: (of) => parts(of, signal),
		read: () => read(course._id),
		save: async ({ version }, changes) => (await call("PATCH /api/educator/courses/{courseId}", { path, body: { version, ...changes } })).course,
		saved: (now, before) => {
			forgetCourses();
			name.textContent = now.courseTitle;
			setTitle(headingOf(now));
			toast(now.isPublished === before.isPublished ? "The changes are saved." : now.isPublished ? "The course is published." : "The course is no longer published.");
		},
	});
	const asStudent = h("a", { class: "button", href: pathTo.preview(course._id) }, "View as a student"), announce = h("a", { class: "button", href: pathTo.announce(course._id) }, "Announcements");
	const hasAssignment = course.courseContent.some(({ chapterContent }) => chapterContent.some(({ kind }) => kind === "assignment"));
	return h("div", { class: "stack loose course-form" }, h("div", { class: "row" }, asStudent, announce, hasAssignment && h("a", { class: "button", href: pathTo.submissions(course._id) }, "Submissions")), view.region,
		quizPart(course), picture(course, view, signal), packagePart(course, signal), deletion(course), view.bar);
}

/** @param {View} view @param {AbortSignal} signal */
function parts(view, signal) {
	const { base, draft } = view.edit;
	const shared = { draft, changed: () => view.changed() };
	const texts = textFields(shared), cost = priceFields(shared), terms = { terms: draft.terms, changed: shared.changed }, access = accessFields({ ...terms, courseId: base._id, signal }), content = new ContentEditor(draft, shared.changed, signal);
	return {
		fields: () => [...texts.fields, ...cost.fields, ...access.fields, ...content.fields()],
		parts: [part("About the course", texts.element), part("Price", cost.element), part("Access and certificate", access.element, certificateChoice(terms)), part("Content", content.element),
			part("Who can see it", visibility(shared, ["Published", "Everyone finds it in the catalogue and can enrol."],
				["Not published", "It is not in the catalogue and cannot be bought. Students who are enrolled keep everything, and an order that is open can still be paid."]))],
	};
}

/** @param {Course} course @param {View} view @param {AbortSignal} signal */
const picture = (course, view, signal) => picturePart(course, {
	noun: "course", current: course.courseThumbnail, path: `/api/educator/courses/${encodeURIComponent(course._id)}/thumbnail`, addressIn: ({ courseThumbnail }) => courseThumbnail, signal,
	changed: () => { forgetCourses(); return view.readAgain(); },
});

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
		courseEdits.forget(course._id);
		forgetCourses();
		await go(session.role() === "admin" ? "/admin/courses" : "/teach", { replace: true });
		toast("The course is deleted.");
	};
	return part("Delete the course", h("p", {}, "A course that has students, had students, was ordered or is in a bundle cannot be deleted: choose “Not published” above instead."),
		h("div", {}, dialogButton("Delete this course", open, { kind: "danger" })));
}
