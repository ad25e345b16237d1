// The student's own rating of a course.
import { h } from "../dom.js";
import { call } from "../api.js";
import { form } from "./form.js";
import { limited } from "./limited.js";
import { starChoice } from "./stars.js";
import { toast, toastError } from "./toast.js";

/** @param {string} courseId @param {number | null} userRating */
export function courseRating(courseId, userRating) {
	const note = h("p", { class: "muted small", role: "status" }, userRating ? `Your rating: ${userRating} of 5. You can change it.` : "How good is this course?");
	let wanted = 0, sent = userRating ?? 0, sending = false;
	/** Sends the latest choice; while a request is under way, further choices wait for it. @param {number} rating */
	async function choose(rating) {
		wanted = rating;
		if (sending) return;
		sending = true;
		try {
			while (wanted !== sent) await send(wanted);
		} catch (error) {
			toastError(error);
		} finally {
			sending = false;
		}
	}
	const send = async (/** @type {number} */ rating) => {
		await call("POST /api/user/add-rating", { body: { courseId, rating: /** @type {1 | 2 | 3 | 4 | 5} */ (rating) } });
		sent = rating;
		words.hidden = false;
		note.textContent = `Your rating: ${rating} of 5. You can change it.`;
		if (wanted === sent) toast("Thank you for your rating.");
	};
	const review = limited("Review", { name: "review", max: 2000, rows: 4, hint: "Everyone can read it, with your name. It replaces what you wrote before; an empty one removes it." });
	const words = h("details", { hidden: !userRating }, h("summary", {}, "Write about it"), form([review], { action: "Publish the review", submit: async () => {
		await call("POST /api/user/add-rating", { body: { courseId, rating: /** @type {1 | 2 | 3 | 4 | 5} */ (sent), review: review.value() } });
		toast(review.value() ? "Your review is on the page of the course." : "Your review is removed. Your stars stay.");
	} }));
	return h("section", { class: "card stack tight course-rating" }, h("h2", { class: "aside-title" }, "Rate this course"), starChoice(userRating ?? 0, choose), note, words);
}
