// The groups of the community: read once, listed beside the posts, joined and created.
import { fill, h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { count } from "../format.js";
import { actionButton } from "./button.js";
import { ask } from "./dialog.js";
import { keepDraft } from "./draft.js";
import { allValid, field } from "./field.js";
import { limited } from "./limited.js";
import { toast } from "./toast.js";
import { signedIn } from "./vote.js";

/** @typedef {import("./post.js").Group} Group */
/** @type {Promise<Group[]> | null} */
let groups = null;

/** All groups, read once, and again after forgetGroups. */
export function allGroups() {
	groups ??= call("GET /api/community/groups").then((answer) => answer.groups);
	groups.catch(forgetGroups);
	return groups;
}

/** To be called when something has changed the groups or their counts. */
export function forgetGroups() { groups = null; }

session.watch(forgetGroups);

/** @param {Group[]} all @param {string} chosen the id of the group whose posts are shown, or "" */
export function groupList(all, chosen) {
	return h("ul", { class: "card list groups" }, all.map((group) => h("li", { class: "row" },
		h("span", { class: "group-icon", "aria-hidden": "true" }, group.icon),
		h("div", { class: "grow" },
			h("a", { href: pathTo.group(group._id), "aria-current": group._id === chosen ? "true" : null }, h("bdi", {}, group.name)), group.isOfficial ? [" ", h("span", { class: "badge" }, "Official")] : null,
			h("p", { class: "muted small" }, counts(group))),
		joinButton(group))));
}

/** @param {Group} group */
const counts = (group) => `${count(group.memberCount, "member")} · ${count(group.postCount, "post")}`;

/** The button that joins a group or leaves it. @param {Group} group */
function joinButton(group) {
	const button = actionButton("", async () => {
		if (!signedIn()) return;
		const { isMember } = await call("POST /api/community/groups/{groupId}/membership", { path: { groupId: group._id } });
		group.memberCount += Number(isMember) - Number(group.isMember);
		group.isMember = isMember;
		draw();
		toast(isMember ? `You have joined ${group.name}.` : `You have left ${group.name}.`);
	});
	const draw = () => {
		const verb = group.isMember ? "Leave" : "Join";
		button.className = group.isMember ? "button quiet join" : "button join";
		button.setAttribute("aria-label", `${verb} ${group.name}`);
		fill(button, verb);
		const line = button.parentElement?.querySelector("p");
		if (line) line.textContent = counts(group);
	};
	draw();
	return button;
}

/** Asks for a name, a description and an icon, creates the group and opens it. */
export async function createGroup() {
	if (!signedIn()) return;
	const name = limited("Name", { name: "group-name", max: 60, required: true });
	const description = limited("What it is about", { name: "group-description", max: 200, rows: 3 });
	const icon = field("Icon", { name: "group-icon", hint: "An emoji, such as 🎨. Without one: 💬.", check: (text) => ([...text].length > 16 ? "This is too long: one emoji is enough." : "") });
	const forget = keepDraft("group", [name, description, icon]);
	/** @type {Group | undefined} */
	let made;
	const done = await ask({ title: "Create a group", action: "Create the group", body: h("div", { class: "stack" }, name.element, description.element, icon.element), submit: async () => {
		if (!allValid([name, description, icon])) throw new ApiError(400, "Please correct the fields above.");
		const body = { name: name.value(), description: description.value(), icon: icon.value() || undefined };
		made = (await call("POST /api/community/groups", { body })).group;
	} });
	if (!done || !made) return;
	forget();
	forgetGroups();
	toast(`The group ${made.name} is there, and you are its first member.`);
	await go(pathTo.group(made._id));
}
