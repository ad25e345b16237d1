// The reviews of a course: how many stars were given, and what students wrote, with the answers of the
// educator.
import { fill, h, onValue } from "../dom.js";
import { call } from "../api.js";
import { session } from "../session.js";
import { ago, count, number, time } from "../format.js";
import { avatar } from "./card.js";
import { dialogButton } from "./button.js";
import { ask } from "./dialog.js";
import { allValid } from "./field.js";
import { limited } from "./limited.js";
import { pagedList } from "./paged-list.js";
import { reportButton } from "./report.js";
import { toast } from "./toast.js";

/** @typedef {import("../types").Answer<"GET /api/course/{id}/reviews">["reviews"][number]} Review */
/** @typedef {"newest" | "best" | "worst"} Order */

const pageSize = 10, longest = 2000;
/** @type {[Order, string][]} */
const orders = [["newest", "Newest first"], ["best", "Best first"], ["worst", "Worst first"]];

/** @param {{_id: string, educatorId: {_id: string}}} course */
export function reviews(course) {
	const spread = h("div"), list = h("div"), isOwn = session.role() !== "student" && session.person()?.userId === course.educatorId._id;
	const show = (/** @type {Order} */ sort) => fill(list, pagedList({
		read: async (cursor) => {
			const { reviews: rows, distribution, nextCursor = null } = await call("GET /api/course/{id}/reviews", { path: { id: course._id }, query: { sort, limit: pageSize, cursor } });
			fill(spread, bars(distribution));
			return { rows, nextCursor };
		},
		row: (review) => reviewItem(course._id, review, isOwn),
		nothing: () => h("p", { class: "muted" }, "Nobody has written about this course yet."),
	}));
	show("newest");
	return h("section", { class: "stack" }, h("div", { class: "section-head" }, h("h2", {}, "Reviews"),
		h("select", { class: "input reviews-order", "aria-label": "Order of the reviews", onchange: onValue((value) => show(/** @type {Order} */ (value))) }, orders.map(([value, text]) => h("option", { value }, text)))), spread, list);
}

/** How many ratings have five stars, four, and so on. @param {number[]} distribution from one star on */
function bars(distribution) {
	const all = distribution.reduce((sum, n) => sum + n, 0);
	if (all === 0) return null;
	return h("ul", { class: "plain-list review-bars", "aria-label": "Ratings" }, distribution.map((n, i) => h("li", {}, h("span", {}, count(i + 1, "star")),
		h("span", { class: "progress", "aria-hidden": "true" }, h("span", { style: { width: `${(100 * n) / all}%` } })), h("span", { class: "muted number" }, number(n), h("span", { class: "visually-hidden" }, " ratings")))).reverse());
}

/** @param {string} courseId @param {Review} review @param {boolean} isOwn whether the reader is the educator of the course */
export function reviewItem(courseId, review, isOwn) {
	const answer = h("div");
	const draw = () => fill(answer, review.answer && h("blockquote", { class: "review-answer stack tight" }, h("p", { class: "small" }, h("strong", {}, "Answer of the educator"), " ", h("time", { class: "muted", dateTime: review.answer.createdAt, title: time(review.answer.createdAt) }, ago(review.answer.createdAt))),
		h("p", { class: "preserve", dir: "auto" }, review.answer.text)));
	draw();
	return h("li", { class: "card pad stack tight" },
		h("p", { class: "row small byline" }, avatar({ name: review.userName, imageUrl: review.userImage }, "little"), h("strong", {}, h("bdi", {}, review.userName)),
			h("span", { class: "review-stars" }, h("span", { "aria-hidden": "true" }, "★".repeat(review.rating)), h("span", { class: "visually-hidden" }, `${review.rating} of 5 stars`)),
			h("time", { class: "muted", dateTime: review.createdAt, title: time(review.createdAt) }, ago(review.createdAt))),
		h("p", { class: "preserve measure", dir: "auto" }, review.review), answer,
		h("div", { class: "row" }, isOwn ? answerButton(review, draw)
			: session.token() ? reportButton(`the review of ${review.userName}`, `review.${review._id}`, (reason) => call("POST /api/course/{id}/reviews/{reviewId}/report", { path: { id: courseId, reviewId: review._id }, body: { reason } })) : null));
}

/** @param {Review} review @param {() => void} draw */
function answerButton(review, draw) {
	return dialogButton("Answer", async () => {
		const text = limited("Your answer", { name: "answer", max: longest, rows: 5, value: review.answer?.text ?? "", hint: "Everyone can read it. An empty answer removes the one before." });
		const done = await ask({ title: "Answer the review", action: "Publish the answer", body: [h("blockquote", { class: "preserve", dir: "auto" }, review.review), text.element], check: () => allValid([text]),
			submit: async () => { review.answer = (await call("PUT /api/educator/reviews/{reviewId}/answer", { path: { reviewId: review._id }, body: { text: text.value() } })).answer; } });
		if (!done) return;
		draw();
		toast(review.answer ? "Your answer is published." : "Your answer is removed.");
	}, { name: `Answer the review of ${review.userName}` });
}
