// A post with its replies. Its author accepts a reply, marks the post as resolved, or deletes it.
import { fill, h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { go, refresh } from "../router.js";
import { session } from "../session.js";
import { count } from "../format.js";
import { actionButton, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { allValid } from "../components/field.js";
import { forgetGroups } from "../components/groups.js";
import { limited } from "../components/limited.js";
import { byline, groupLink, labels, reportPost, votePost } from "../components/post.js";
import { prose } from "../components/prose.js";
import { replyForm, replyItem } from "../components/reply.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {import("../types").Answer<"GET /api/community/posts/{postId}">["post"]} Post */

let heading = "Post";
export const title = () => heading;
export const width = "narrow";

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { postId }, signal }) {
	const back = h("p", { class: "back" }, h("a", { href: "/community" }, "← Community"));
	try {
		const { post } = await call("GET /api/community/posts/{postId}", { path: { postId }, signal });
		heading = post.title;
		return [backTo(post), show(post)];
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		heading = "Post not found";
		return [back, h("h1", { class: "visually-hidden" }, heading), empty("There is no such post", "Its author may have deleted it.", h("a", { class: "button primary", href: "/community" }, "See all posts"))];
	}
}

/** Where a post is: in the community, or at a lecture. @param {Post} post */
const placeOf = ({ courseId, lectureId }) => (!courseId ? { href: "/community", name: "Community" } : { href: lectureId ? pathTo.lecture(courseId, lectureId) : pathTo.learn(courseId), name: "Lecture" });

/** @param {Post} post */
function backTo(post) {
	const { href, name } = placeOf(post);
	return h("p", { class: "back" }, h("a", { href }, `← ${name}`));
}

/** @param {Post} post */
function show(post) {
	const head = h("p", { class: "row small" });
	const replies = h("section", { class: "stack", "aria-labelledby": "replies" });
	const resolve = post.isAuthor ? resolveButton(post, () => draw()) : null;
	const draw = () => {
		if (resolve) fill(resolve, post.isResolved ? "Mark as open" : "Mark as resolved");
		fill(head, labels(post), groupLink(post));
		fill(replies, replyList(post, draw));
	};
	draw();
	return h("div", { class: "stack loose" },
		h("article", { class: "stack post" }, h("h1", {}, h("bdi", {}, post.title)), h("p", { class: "row small" }, byline(post)), head, prose(post.content),
			h("div", { class: "row" }, votePost(post), resolve, post.isAuthor ? editButton(post) : reportPost("this post", post._id), (post.isAuthor || session.role() === "admin") && deleteButton(post))),
		replies, replyForm(post, draw));
}

/** @param {Post} post @param {() => void} draw */
function replyList(post, draw) {
	const heading = h("h2", { id: "replies", tabIndex: -1 }, post.replies.length === 0 ? "No replies yet" : count(post.replies.length, "reply", "replies"));
	if (post.replies.length === 0) return [heading, h("p", { class: "muted" }, post.isAuthor ? "The replies are shown here." : "Do you know an answer? Write the first reply.")];
	const sorted = post.replies.toSorted((a, b) => Number(b.isAcceptedAnswer) - Number(a.isAcceptedAnswer) || a.createdAt.localeCompare(b.createdAt));
	return [heading, h("ol", { class: "plain-list stack" }, sorted.map((reply) => replyItem(reply, post, draw)))];
}

/** @param {Post} post @param {() => void} draw */
function resolveButton(post, draw) {
	return actionButton("", async () => {
		const answer = await call("PATCH /api/community/posts/{postId}/resolve", { path: { postId: post._id } });
		post.isResolved = answer.isResolved;
		draw();
	});
}

/** @param {Post} post */
function editButton(post) {
	return dialogButton("Edit", async () => {
		const title = limited("Title", { name: "title", max: 200, required: true, value: post.title }), content = limited("Text", { name: "content", max: 5000, rows: 8, required: true, value: post.content });
		const done = await ask({ title: "Edit the post", action: "Save the post", body: [title.element, content.element], check: () => allValid([title, content]),
			submit: () => call("PATCH /api/community/posts/{postId}", { path: { postId: post._id }, body: { title: title.value(), content: content.value() } }) });
		if (done) await refresh();
	}, { name: "Edit this post" });
}

/** @param {Post} post */
function deleteButton(post) {
	return dialogButton("Delete", async () => {
		const sure = await ask({ title: "Delete this post?", kind: "danger", action: "Delete the post",
			body: h("p", {}, "The post “", h("bdi", {}, post.title), `” and ${count(post.replies.length, "reply", "replies")} are removed for everyone. This cannot be undone.`),
			submit: () => call("DELETE /api/community/posts/{postId}", { path: { postId: post._id } }) });
		if (!sure) return;
		forgetGroups();
		await go(placeOf(post).href, { replace: true });
		toast("The post is deleted.");
	}, { kind: "danger", name: "Delete this post" });
}
