// The outline of a course beside the player: chapters, lectures with what is done, and quizzes.
import { h, svg } from "../dom.js";
import { duration, number } from "../format.js";
import { pathTo } from "../paths.js";
import { previewQuery } from "./learning-course.js";
import { progress } from "./progress.js";

/** @typedef {import("./learning-course.js").Course} Course */
/** @typedef {import("./learning-course.js").Chapter} Chapter */
/** @typedef {import("./learning-course.js").Lecture} Lecture */
/**
 * A course that is being learnt: the ids of the lectures that are done, the lecture in view, and
 * the best percentage at the quiz of each chapter.
 * @typedef {{course: Course, lectures: Lecture[], done: Set<string>, current: Lecture | undefined, best: Map<string, number>, isPreview: boolean}} Learning
 */

/** The addresses of a lecture and of the quiz of a chapter. @param {Learning} learning */
export const linksOf = ({ course, isPreview }) => ({
	lecture: (/** @type {Lecture} */ { lectureId }) => pathTo.lecture(course._id, lectureId) + previewQuery(isPreview),
	quiz: (/** @type {Chapter} */ { chapterId }) => pathTo.quiz(course._id, chapterId) + previewQuery(isPreview),
});

/** The lectures of a course that are done. @param {Learning} learning */
export const doneCount = ({ lectures, done }) => lectures.filter((lecture) => done.has(lecture.lectureId)).length;

/** @param {Learning} learning */
export function lectureList(learning) {
	const list = h("div", { class: "lecture-list-items" }, learning.course.courseContent.map((chapter) => [
		h("h3", {}, h("bdi", {}, chapter.chapterTitle)),
		h("ol", { class: "plain-list" }, chapter.chapterContent.map((lecture) => lectureItem(learning, lecture)), chapter.hasQuiz && quizItem(learning, chapter)),
	]).flat());
	requestAnimationFrame(() => showCurrent(list));
	return h("nav", { class: "card lecture-list", "aria-label": "Course content" },
		h("div", { class: "lecture-list-head stack tight" }, h("h2", {}, "Course content"), progress(doneCount(learning), learning.lectures.length, "Lectures done")), list);
}

/** Scrolls a long list to the lecture in view. @param {HTMLElement} list */
function showCurrent(list) {
	const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
	if (current) list.scrollTop = current.offsetTop - list.clientHeight / 3;
}

/** @param {Learning} learning @param {Lecture} lecture */
function lectureItem(learning, lecture) {
	const isDone = learning.done.has(lecture.lectureId);
	return h("li", {}, h("a", { href: linksOf(learning).lecture(lecture), "aria-current": lecture === learning.current && "page" },
		tick(isDone), h("span", { class: "grow" }, h("bdi", {}, lecture.lectureTitle), isDone && h("span", { class: "visually-hidden" }, ", done")),
		h("span", { class: "muted small number" }, duration(lecture.lectureDuration))));
}

/** @param {Learning} learning @param {Chapter} chapter */
function quizItem(learning, chapter) {
	const percentage = learning.best.get(chapter.chapterId);
	return h("li", {}, h("a", { href: linksOf(learning).quiz(chapter) },
		h("span", { class: "lecture-list-mark", "aria-hidden": "true" }, "?"), h("span", { class: "grow" }, "Quiz", h("span", { class: "visually-hidden" }, ` on ${chapter.chapterTitle}`)),
		percentage !== undefined && h("span", { class: "muted small number" }, `best ${number(percentage)} %`)));
}

/** A circle, with a tick in it for what is done. @param {boolean} done */
const tick = (done) => svg("svg", { class: done ? "lecture-list-mark done" : "lecture-list-mark", viewBox: "0 0 20 20", "aria-hidden": "true" },
	svg("circle", { cx: 10, cy: 10, r: 9 }), done && svg("path", { d: "M5.5 10.5l3 3 6-7" }));
