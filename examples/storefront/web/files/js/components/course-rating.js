// The student's own rating of a course, and what they wrote to it.
import { fill, h } from "../dom.js";
import { call } from "../api.js";
import { dialogButton } from "./button.js";
import { ask } from "./dialog.js";
import { form } from "./form.js";
import { limited } from "./limited.js";
import { starChoice } from "./stars.js";
import { toast, toastError } from "./toast.js";

/** @typedef {1 | 2 | 3 | 4 | 5} Stars */
/** The rating of the student; null is none. @typedef {{stars: number | null, review: string | null}} Own */

/** @param {string} courseId @param {Own} own */
export function courseRating(courseId, own) {
	const note = h("p", { class: "muted small", role: "status" }), words = h("div", { class: "stack tight" });
	let wanted = 0, sent = own.stars ?? 0, sending = false, review = own.review ?? "";
	/** Sends the latest choice; while a request is under way, further choices wait for it. @param {number} rating */
	async function choose(rating) {
		wanted = rating;
		if (sending) return;
		sending = true;
		try {
			while (wanted !== sent) await sendStars(wanted);
		} catch (error) {
			toastError(error);
		} finally {
			sending = false;
		}
	}
	const say = () => { note.textContent = sent ? `Your rating: ${sent} of 5. You can change it.` : "How good is this course?"; };
	const sendStars = async (/** @type {number} */ rating) => {
		await save(courseId, rating);
		if (sent === 0) fill(words, writing());
		sent = rating;
		say();
		if (wanted === sent) toast("Thank you for your rating.");
	};
	/** What was written, with the buttons that change it. */
	const written = () => [h("h3", { class: "small" }, "Your review"), h("p", { class: "preserve measure own-review", dir: "auto" }, review), h("div", { class: "row" },
		h("button", { class: "button small", type: "button", onclick: () => { fill(words, editing()); words.querySelector("textarea")?.focus(); } }, "Change the review"),
		dialogButton("Remove the review", remove, { kind: "danger small" }))];
	/** A form that is folded as long as nothing was written. */
	const writing = () => h("details", {}, h("summary", {}, "Write about it"), editing());
	const editing = () => {
		const text = limited("Review", { name: "review", max: 2000, rows: 4, required: true, value: review, hint: "Everyone can read it, with your name." });
		const back = review !== "" && h("button", { class: "button quiet", type: "button", onclick: showWritten }, "Cancel");
		return form([text], { action: review === "" ? "Publish the review" : "Save the review", more: [back || null], submit: async () => {
			await save(courseId, sent, text.value());
			review = text.value();
			showWritten();
			toast("Your review is on the page of the course.");
		} });
	};
	const showWritten = () => { fill(words, written()); words.querySelector("button")?.focus(); };
	const remove = async () => {
		const sure = await ask({ title: "Remove your review?", body: "What you wrote is removed, with the answer of the educator. Your stars stay.", action: "Remove the review", kind: "danger", submit: () => save(courseId, sent, "") });
		if (!sure) return;
		review = "";
		fill(words, writing());
		words.querySelector("summary")?.focus();
		toast("Your review is removed. Your stars stay.");
	};
	say();
	fill(words, review !== "" ? written() : sent ? writing() : []);
	return h("section", { class: "card stack tight course-rating" }, h("h2", { class: "aside-title" }, "Rate this course"), starChoice(sent, choose), note, words);
}

/** Without a text the review stays; an empty one removes it. @param {string} courseId @param {number} stars @param {string} [review] */
const save = (courseId, stars, review) => call("POST /api/user/add-rating", { body: { courseId, rating: /** @type {Stars} */ (stars), review } });
