// The outline of a course: chapters that open, and their lectures. Free lectures open in a dialog.
import { h } from "../dom.js";
import { count, duration } from "../format.js";
import { lectureView } from "./lecture.js";
import { kindName } from "./lecture-kind.js";

/** @typedef {import("../types").Answer<"GET /api/course/{id}">["courseData"]} CourseDetail */
/** @typedef {CourseDetail["courseContent"][number]} Chapter */
/** @typedef {Chapter["chapterContent"][number]} Lecture */

/** @param {Chapter[]} chapters */
export const outline = (chapters) => h("ol", { class: "plain-list stack tight" }, chapters.map((chapter, i) => h("li", {}, chapterBox(chapter, i))));

/** @param {Chapter} chapter @param {number} index */
function chapterBox({ chapterTitle, chapterContent, hasQuiz }, index) {
	const minutes = chapterContent.reduce((sum, lecture) => sum + lecture.lectureDuration, 0);
	return h("details", { class: "card chapter", open: index === 0 },
		h("summary", {}, h("span", { class: "chapter-title" }, h("span", { class: "muted number" }, `${index + 1}.`), " ", h("bdi", {}, chapterTitle)),
			h("span", { class: "muted small" }, `${count(chapterContent.length, "lecture")}, ${duration(minutes)}`)),
		h("ol", { class: "list" }, chapterContent.map((lecture) => h("li", { class: "lecture-row" }, lectureRow(lecture))),
			hasQuiz && h("li", { class: "lecture-row" }, h("span", { class: "grow" }, "Quiz"))));
}

/** @param {Lecture} lecture */
function lectureRow(lecture) {
	const kind = kindName(lecture.kind);
	const title = h("span", { class: "grow" }, h("bdi", {}, lecture.lectureTitle), kind && h("span", { class: "muted small lecture-kind" }, kind));
	const length = h("span", { class: "muted small number" }, duration(lecture.lectureDuration));
	if (!lecture.isPreviewFree) return [title, length];
	return [title, h("button", { class: "button preview-button", type: "button", "aria-label": `Preview: ${lecture.lectureTitle}`, onclick: () => preview(lecture) }, "Preview"), length];
}

/** Shows a lecture in a dialog, which the router closes when the reader leaves the page. @param {Lecture} lecture */
function preview(lecture) {
	const close = () => box.close();
	const box = h("dialog", { class: "dialog preview", "aria-labelledby": "preview-title", onclose: () => box.remove() },
		h("header", { class: "preview-head" }, h("h2", { id: "preview-title" }, h("bdi", {}, lecture.lectureTitle)),
			h("button", { class: "button quiet icon", type: "button", "aria-label": "Close the preview", onclick: close }, "✕")),
		h("div", { class: "preview-body" }, lectureView(lecture)));
	document.body.append(box);
	box.showModal();
}
