// The community: posts with tabs and pages, and the groups beside them. The address holds what the
// reader chooses, so that back, forward and links work.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";
import { count } from "../format.js";
import { actionButton } from "../components/button.js";
import { allGroups, createGroup, groupList } from "../components/groups.js";
import { postCard } from "../components/post.js";
import { empty } from "../components/states.js";

/** @typedef {{tab: "all" | "trending" | "myGroups", groupId: string, page: number}} Choice */

export const title = "Community";

/** Posts on a page. */
const pageSize = 10;
/** @type {[Choice["tab"], string][]} */
const tabs = [["all", "Newest"], ["trending", "Most upvoted"], ["myGroups", "My groups"]];

/** @param {import("../router.js").Visit} visit */
export function page({ query }) {
	const choice = chosen(query);
	return [
		h("header", { class: "page-head" },
			h("div", {}, h("h1", {}, "Community"), h("p", { class: "lead" }, "Ask, answer, and show what you have made. Everyone can read; members of the school write.")),
			h("a", { class: "button primary", href: newPostPath(choice) }, "Write a post")),
		h("div", { class: "beside" },
			h("section", { class: "stack", "aria-label": "Posts" }, choice.groupId && load(allGroups, (groups) => groupHead(groups, choice)), tabLinks(choice),
				load(() => readPosts(choice), (answer) => postList(answer, choice))),
			h("aside", { id: "groups", class: "stack" },
				h("div", { class: "row spread" }, h("h2", {}, "Groups"), actionButton("Create a group", createGroup, { kind: "small" })),
				load(allGroups, (groups) => groupList(groups, choice.groupId)))),
	];
}

/** @param {URLSearchParams} query @returns {Choice} */
function chosen(query) {
	const tab = tabs.find(([name]) => name === query.get("tab"))?.[0] ?? "all";
	return { tab, groupId: query.get("groupId") ?? "", page: Math.max(1, Math.floor(Number(query.get("page")) || 1)) };
}

/** The address of a choice; the first page, all groups and all posts are left out. @param {Choice} choice */
function pathOf({ tab, groupId, page }) {
	const query = new URLSearchParams();
	if (groupId) query.set("groupId", groupId);
	if (tab !== "all") query.set("tab", tab);
	if (page > 1) query.set("page", String(page));
	return "/community" + (query.size ? `?${query}` : "");
}

/** @param {Choice} choice */
const newPostPath = ({ groupId }) => "/community/new" + (groupId ? `?groupId=${encodeURIComponent(groupId)}` : "");

/** @param {Choice} choice */
const tabLinks = (choice) => h("nav", { class: "tabs", "aria-label": "Which posts" },
	tabs.map(([tab, text]) => h("a", { href: pathOf({ ...choice, tab, page: 1 }), "aria-current": tab === choice.tab ? "page" : null }, text)));

/** @param {import("../components/post.js").Group[]} groups @param {Choice} choice */
function groupHead(groups, choice) {
	const group = groups.find((g) => g._id === choice.groupId);
	if (!group) return h("p", { class: "notice warn" }, "There is no such group. ", h("a", { href: "/community" }, "See all posts"));
	return h("div", { class: "group-head row" }, h("span", { class: "group-icon large", "aria-hidden": "true" }, group.icon),
		h("div", { class: "grow" }, h("h2", {}, h("bdi", {}, group.name)), h("p", { class: "muted", dir: "auto" }, group.description)),
		h("a", { href: pathOf({ ...choice, groupId: "", page: 1 }) }, "Show all groups"));
}

/** @param {Choice} choice */
function readPosts({ tab, groupId, page }) {
	return call("GET /api/community/posts", { query: { tab, groupId: groupId || undefined, page, limit: pageSize } });
}

/** @param {Awaited<ReturnType<typeof readPosts>>} answer @param {Choice} choice */
function postList({ posts, hasMore, total }, choice) {
	if (posts.length === 0) return nothing(choice);
	return h("div", { class: "stack" },
		h("div", { class: "row spread" }, h("h2", { class: "visually-hidden" }, "Posts"), h("p", { class: "muted small", role: "status" }, count(total, "post")), h("a", { class: "small to-groups", href: "#groups" }, "Groups")),
		h("ol", { class: "card list posts" }, posts.map(postCard)),
		pages(choice, hasMore, Math.ceil(total / pageSize)));
}

/** @param {Choice} choice @param {boolean} hasMore @param {number} last */
function pages(choice, hasMore, last) {
	if (last <= 1) return null;
	const link = (/** @type {number} */ page, /** @type {string} */ text) => h("a", { class: "button", href: pathOf({ ...choice, page }) }, text);
	return h("nav", { class: "row spread pages", "aria-label": "Pages" },
		choice.page > 1 ? link(choice.page - 1, "← Previous") : h("span"), h("span", { class: "muted small" }, `Page ${choice.page} of ${last}`),
		hasMore ? link(choice.page + 1, "Next →") : h("span"));
}

/** @param {Choice} choice */
function nothing(choice) {
	const button = (/** @type {string} */ href, /** @type {string} */ text) => h("a", { class: "button primary", href }, text);
	if (choice.page > 1) return empty("No posts on this page", "There are fewer pages than that.", button(pathOf({ ...choice, page: 1 }), "Go to the first page"));
	if (choice.tab === "myGroups" && !session.token()) return empty("Sign in to see your groups", "The posts of the groups that you have joined are shown here.", button(pathTo.signIn(pathOf(choice)), "Sign in"));
	if (choice.tab === "myGroups") return empty("No posts in your groups", "Join a group in the list of groups, and its posts are shown here.", button(pathOf({ ...choice, tab: "all" }), "See all posts"));
	return empty("No posts yet", "Be the first: ask a question, or show what you have made.", button(newPostPath(choice), "Write a post"));
}
