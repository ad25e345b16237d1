// The questions at a lecture, which only the students of the course, its educator and administrators
// can read. Each is a post of the community.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { count } from "../format.js";
import { actionButton } from "./button.js";
import { keepDraft } from "./draft.js";
import { form } from "./form.js";
import { limited } from "./limited.js";
import { postCard } from "./post.js";
import { toast } from "./toast.js";

/** @typedef {import("./post.js").Post} Post */
/** @typedef {{courseId: string, lectureId: string}} Place */

const pageSize = 10;

/** @param {Place} place */
export const questions = (place) => h("section", { class: "stack questions" }, h("h2", {}, "Questions"), load(() => read(place, 1), (first) => list(place, first)));

/** @param {Place} place @param {number} page */
const read = (place, page) => call("GET /api/community/posts", { query: { ...place, page, limit: pageSize } });

/** @param {Place} place @param {Awaited<ReturnType<typeof read>>} first */
function list(place, first) {
	const items = h("ol", { class: "card list posts" }), status = h("p", { class: "muted small", role: "status" });
	let page = 1, total = first.total;
	const draw = () => {
		items.hidden = items.children.length === 0;
		status.textContent = total === 0 ? "Nobody has asked anything here yet." : count(total, "question");
	};
	const more = actionButton("Show more", async () => {
		const { posts, hasMore } = await read(place, ++page);
		const made = posts.map(postCard);
		items.append(...made);
		more.hidden = !hasMore;
		made[0]?.querySelector("a")?.focus();
	});
	const asked = (/** @type {Post} */ post) => { items.prepend(postCard(post)); total++; draw(); };
	fill(items, first.posts.map(postCard));
	more.hidden = !first.hasMore;
	draw();
	return h("div", { class: "stack" }, status, items, h("div", {}, more), questionForm(place, asked));
}

/** @param {Place} place @param {(post: Post) => void} asked */
function questionForm(place, asked) {
	const title = limited("Question", { name: "question-title", max: 200, required: true, hint: "In one line." });
	const content = limited("Details", { name: "question-text", max: 5000, rows: 4, required: true });
	const forget = keepDraft(`question.${place.courseId}.${place.lectureId}`, [title, content]);
	const details = h("details", { class: "card pad" }, h("summary", {}, "Ask a question"), form([title, content], { action: "Ask the question", submit: async () => {
		const { post } = await call("POST /api/community/posts", { body: { title: title.value(), content: content.value(), ...place } });
		title.set("");
		content.set("");
		forget();
		details.open = false;
		asked(post);
		toast("Your question is there for the students and the educator of the course.");
	} }));
	return details;
}
