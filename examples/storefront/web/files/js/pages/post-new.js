// Writing a post. What is typed stays until the post is published.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { keepDraft } from "../components/draft.js";
import { field } from "../components/field.js";
import { form } from "../components/form.js";
import { allGroups, forgetGroups } from "../components/groups.js";
import { lengthOf, limited } from "../components/limited.js";
import { toast } from "../components/toast.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";

export const title = "Write a post";
export const width = "narrow";

const maxTags = 5, maxTag = 30;

/** @param {import("../router.js").Visit} visit */
export function page({ query }) {
	return [h("p", { class: "back" }, h("a", { href: "/community" }, "← Community")),
		h("header", { class: "page-head" }, h("h1", {}, "Write a post")),
		load(allGroups, (groups) => postForm(groups, query.get("groupId") ?? ""))];
}

/** @param {import("../components/post.js").Group[]} groups @param {string} groupId */
function postForm(groups, groupId) {
	const title = limited("Title", { name: "title", max: 200, required: true, hint: "Say in one line what it is about." });
	const content = limited("Text", { name: "content", max: 5000, rows: 10, required: true, hint: "Put code between lines of ```." });
	const group = field("Group", { name: "group", value: groupId, options: [["", "No group"], .../** @type {[string, string][]} */ (groups.map((g) => [g._id, `${g.icon} ${g.name}`]))] });
	const preview = h("p", { class: "row", role: "status" });
	const tags = field("Tags", { name: "tags", hint: `At most ${maxTags}, with commas between them, such as: go, testing.`, check: tagProblem,
		oninput: (text) => fill(preview, tagsOf(text).map((tag) => h("span", { class: "badge tag" }, h("bdi", {}, tag)))) });
	tags.element.append(preview);
	const forget = keepDraft("post", [title, content, tags, ...(groupId ? [] : [group])]);
	const submit = async () => {
		const { post } = await call("POST /api/community/posts", { body: { title: title.value(), content: content.value(), groupId: group.value() || undefined, tags: tagsOf(tags.value()) } });
		forget();
		forgetGroups();
		await go(pathTo.post(post._id), { replace: true });
		toast("Your post is published.");
	};
	return h("div", { class: "card pad" }, form([title, content, group, tags], { action: "Publish the post", submit }));
}

/** @param {string} text */
const tagsOf = (text) => text.split(",").map((tag) => tag.trim()).filter(Boolean);

/** @param {string} text */
function tagProblem(text) {
	const tags = tagsOf(text);
	const long = tags.find((tag) => lengthOf(tag) > maxTag);
	if (long) return `“${long}” is too long: a tag has at most ${maxTag} characters.`;
	return tags.length > maxTags ? `These are ${tags.length} tags: remove ${tags.length - maxTags}.` : "";
}
