// Parts of the community's pages: a post in a list, who wrote it, its badges and tags.
import { h } from "../dom.js";
import { call } from "../api.js";
import { ago, count, time } from "../format.js";
import { pathTo } from "../paths.js";
import { avatar } from "./card.js";
import { reportButton } from "./report.js";
import { voteButton } from "./vote.js";

/** @typedef {import("../types").Answer<"GET /api/community/posts">["posts"][number]} Post */
/** @typedef {import("../types").Answer<"GET /api/community/groups">["groups"][number]} Group */

/** The badges of the authors of a post or a reply. A student has none. */
const roles = { student: "", educator: "Educator", admin: "Administrator" };

/** Who wrote a post or a reply, and when. @param {{authorName: string, authorImage: string, authorRole: keyof typeof roles, createdAt: string, editedAt: string | null, isAuthor: boolean}} item */
export function byline(item) {
	return h("span", { class: "row byline" }, avatar({ name: item.authorName, imageUrl: item.authorImage }, "little"),
		h("strong", {}, h("bdi", {}, item.authorName)), roles[item.authorRole] && h("span", { class: "badge" }, roles[item.authorRole]), item.isAuthor && h("span", { class: "badge accent" }, "You"),
		h("time", { class: "muted", dateTime: item.createdAt, title: time(item.createdAt) }, ago(item.createdAt)),
		item.editedAt && h("span", { class: "muted", title: time(item.editedAt) }, "(edited)"));
}

/** The group, the state and the tags of a post. @param {Post} post */
export function labels(post) {
	return [post.isResolved && h("span", { class: "badge good" }, "✓ Resolved"),
		post.tags.map((tag) => h("span", { class: "badge tag" }, h("bdi", {}, tag)))].flat();
}

/** @param {Post} post */
export const groupLink = (post) => post.group && h("a", { class: "group-link", href: pathTo.group(post.group._id) },
	h("span", { "aria-hidden": "true" }, post.group.icon), " ", h("bdi", {}, post.group.name));

/** @param {Post} post */
export const votePost = (post) => voteButton(post, `“${post.title}”`, () => call("POST /api/community/posts/{postId}/upvote", { path: { postId: post._id } }));

/** The button that reports a post or one of its replies. @param {string} name @param {string} postId @param {string} [replyId] */
export const reportPost = (name, postId, replyId) => reportButton(name, `${postId}.${replyId ?? ""}`, (reason) => call("POST /api/community/posts/{postId}/report", { path: { postId }, body: { reason, replyId } }));

/** A post in a list. @param {Post} post */
export function postCard(post) {
	return h("li", { class: "post-card" }, votePost(post),
		h("div", { class: "stack tight grow" },
			h("h3", {}, h("a", { href: pathTo.post(post._id) }, h("bdi", {}, post.title))),
			h("p", { class: "excerpt muted", dir: "auto" }, post.content.replaceAll(/```\w*|`/g, "")),
			h("p", { class: "row small" }, labels(post)),
			h("p", { class: "row small post-foot" }, byline(post), groupLink(post), h("span", { class: "muted" }, post.replyCount === 0 ? "No replies yet" : count(post.replyCount, "reply", "replies")))));
}
