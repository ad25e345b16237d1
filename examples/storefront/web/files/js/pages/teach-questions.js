// What students ask in the courses of the educator: the questions that wait for an answer first.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../paths.js";
import { courseFilter, filterOf } from "../components/course-filter.js";
import { pagedList } from "../components/paged-list.js";
import { postCard } from "../components/post.js";
import { teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/educator/questions">["questions"][number]} Question */

export const title = "Questions";

/** @param {import("../router.js").Visit} visit */
export function page({ query, place, signal }) {
	const list = h("div"), show = () => fill(list, questions(query, place));
	show();
	return [...teachHead("Questions", "What students ask at your courses."), h("div", { class: "stack" }, load(() => call("GET /api/educator/courses", { signal }), ({ courses }) => courseFilter(courses, query, () => { place.rows = 0; show(); })), h("h2", { class: "visually-hidden" }, "Questions of students"), list)];
}

/** @param {URLSearchParams} query @param {import("../place.js").Place} place */
const questions = (query, place) => pagedList({
	place, list: "card list posts",
	read: async (cursor) => {
		const { questions: rows, nextCursor = null } = await call("GET /api/educator/questions", { query: { ...filterOf(query), limit: 20, cursor } });
		return { rows, nextCursor };
	},
	row: card,
	nothing: () => (query.get("all") ? empty("No questions yet", "What students ask at a lecture or a course stands here.") : empty("No question waits", "Every question has an answer of yours or of an administrator, or is resolved.")),
});

/** @param {Question} question */
function card(question) {
	const element = postCard(question), { courseId, authorName: name, studentId } = question, where = [question.courseTitle, question.chapterTitle, question.lectureTitle].filter(Boolean).join(" · ");
	element.querySelector("h3")?.after(h("p", { class: "muted small" }, h("bdi", {}, where), " ", question.isAnswered ? null : h("span", { class: "badge warn" }, "Waits"), " ",
		studentId && courseId && h("a", { href: pathTo.student(courseId, studentId), "aria-label": `The student: ${name}` }, "The student")));
	return element;
}
