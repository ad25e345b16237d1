// Replies to a post: one of them, and the form that writes one.
import { h } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";
import { actionButton, dialogButton } from "./button.js";
import { ask } from "./dialog.js";
import { keepDraft } from "./draft.js";
import { allValid } from "./field.js";
import { form } from "./form.js";
import { limited } from "./limited.js";
import { byline, reportPost } from "./post.js";
import { prose } from "./prose.js";
import { sessionEnded } from "./states.js";
import { toast } from "./toast.js";
import { voteButton } from "./vote.js";

/** @typedef {import("../types").Answer<"GET /api/community/posts/{postId}">["post"]} Post */
/** @typedef {Post["replies"][number]} Reply */

/** @param {Reply} reply @param {Post} post @param {() => void} draw draws the replies again */
export function replyItem(reply, post, draw) {
	const path = { postId: post._id, replyId: reply._id };
	const vote = voteButton(reply, `the reply of ${reply.authorName}`, () => call("POST /api/community/posts/{postId}/replies/{replyId}/upvote", { path }));
	return h("li", { class: `card pad stack reply ${reply.isAcceptedAnswer ? "accepted" : ""}`, id: `reply-${reply._id}` },
		h("p", { class: "row small" }, byline(reply), reply.isAcceptedAnswer && h("span", { class: "badge good" }, "✓ Accepted answer")),
		prose(reply.content),
		h("div", { class: "row" }, vote, post.isAuthor && acceptButton(reply, post, draw), reply.isAuthor ? editButton(reply, post, draw) : reportPost(`the reply of ${reply.authorName}`, post._id, reply._id),
			(reply.isAuthor || session.role() === "admin") && deleteButton(reply, post, draw)));
}

/** @param {Reply} reply @param {Post} post @param {() => void} draw */
function editButton(reply, post, draw) {
	return dialogButton("Edit", async () => {
		const text = limited("Your reply", { name: "reply", max: 3000, rows: 6, required: true, value: reply.content });
		const done = await ask({ title: "Edit the reply", action: "Save the reply", body: text.element, check: () => allValid([text]),
			submit: async () => Object.assign(reply, (await call("PATCH /api/community/posts/{postId}/replies/{replyId}", { path: { postId: post._id, replyId: reply._id }, body: { content: text.value() } })).reply) });
		if (done) draw();
	}, { kind: "quiet", name: "Edit your reply" });
}

/** @param {Reply} reply @param {Post} post @param {() => void} draw */
function deleteButton(reply, post, draw) {
	return dialogButton("Delete", async () => {
		const sure = await ask({ title: "Delete this reply?", kind: "danger", action: "Delete the reply",
			body: h("p", {}, "The reply of ", h("bdi", {}, reply.authorName), " is removed for everyone. This cannot be undone."),
			submit: () => call("DELETE /api/community/posts/{postId}/replies/{replyId}", { path: { postId: post._id, replyId: reply._id } }) });
		if (!sure) return;
		post.replies.splice(post.replies.indexOf(reply), 1);
		post.replyCount = post.replies.length;
		draw();
		document.getElementById("replies")?.focus();
		toast("The reply is deleted.");
	}, { kind: "quiet", name: `Delete the reply of ${reply.authorName}` });
}

/** @param {Reply} reply @param {Post} post @param {() => void} draw */
function acceptButton(reply, post, draw) {
	const label = reply.isAcceptedAnswer ? "Withdraw acceptance" : "Accept as the answer";
	return actionButton(label, async () => {
		const path = { postId: post._id, replyId: reply._id };
		const { isAcceptedAnswer, postResolved } = await call("PATCH /api/community/posts/{postId}/replies/{replyId}/accept", { path });
		for (const other of post.replies) other.isAcceptedAnswer = false;
		reply.isAcceptedAnswer = isAcceptedAnswer;
		post.isResolved = postResolved;
		draw();
		const again = /** @type {HTMLElement | null} */ (document.querySelector(`#reply-${CSS.escape(reply._id)} .accept`));
		again?.focus();
		toast(isAcceptedAnswer ? "You have accepted this reply as the answer." : "The reply is no longer the accepted answer.");
	}, { kind: "quiet accept", name: `${label}: reply of ${reply.authorName}` });
}

/** @param {Post} post @param {() => void} draw draws the replies again */
export function replyForm(post, draw) {
	if (!session.token()) return h("p", { class: "notice" }, h("a", { href: pathTo.signIn() }, "Sign in to reply"), `. You come back to this post. ${session.ended() ? sessionEnded : ""}`);
	const content = limited("Your reply", { name: "reply", rows: 5, max: 3000, required: true, hint: "Put code between lines of ```." });
	const forget = keepDraft(`reply.${post._id}`, [content]);
	const submit = async () => {
		const { reply } = await call("POST /api/community/posts/{postId}/replies", { path: { postId: post._id }, body: { content: content.value() } });
		post.replies.push(reply);
		post.replyCount = post.replies.length;
		forget();
		content.set("");
		draw();
		toast("Your reply is published.");
	};
	return form([content], { action: "Reply", submit });
}
