// The reviews of the courses of the educator, with the answers to them.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../paths.js";
import { courseFilter, filterOf } from "../components/course-filter.js";
import { pagedList } from "../components/paged-list.js";
import { reviewItem } from "../components/reviews.js";
import { teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

export const title = "Reviews";

/** @param {import("../router.js").Visit} visit */
export function page({ query, place, signal }) {
	const list = h("div"), show = () => fill(list, reviews(query, place));
	show();
	return [...teachHead("Reviews", "What students write about your courses."), h("div", { class: "stack" }, load(() => call("GET /api/educator/courses", { signal }), ({ courses }) => courseFilter(courses, query, () => { place.rows = 0; show(); })), list)];
}

/** @param {URLSearchParams} query @param {import("../place.js").Place} place */
const reviews = (query, place) => pagedList({
	place,
	read: async (cursor) => {
		const { reviews: rows, nextCursor = null } = await call("GET /api/educator/reviews", { query: { ...filterOf(query), limit: 20, cursor } });
		return { rows, nextCursor };
	},
	row: (review) => {
		const element = reviewItem(review.courseId, review, true);
		element.prepend(h("h2", { class: "announcement-title" }, h("bdi", {}, review.courseTitle)));
		element.lastElementChild?.append(h("a", { class: "small", href: pathTo.student(review.courseId, review.studentId), "aria-label": `The student: ${review.userName}` }, "The student"));
		return element;
	},
	nothing: () => (query.get("all") ? empty("No reviews yet", "Students write one on the page of a lecture.") : empty("No review waits", "Each has an answer of yours.")),
});
