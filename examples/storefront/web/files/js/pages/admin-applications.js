// Applications of people who want to teach: read, approve, or reject with a reason.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { setQuery } from "../router.js";
import { webURL } from "../web-url.js";
import { ago, time } from "../format.js";
import { avatar } from "../components/card.js";
import { ask } from "../components/dialog.js";
import { keepDraft } from "../components/draft.js";
import { field } from "../components/field.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { tabs } from "../components/tabs.js";
import { toast } from "../components/toast.js";
import { userLink } from "../components/user-link.js";

/** @typedef {import("../types").Answer<"GET /api/admin/educator-applications">["applications"][number]} Application */
/** @typedef {import("../types").Answer<"GET /api/admin/users">["users"][number]} User */
/** @typedef {{applications: Application[], users: Map<string, User>, query: URLSearchParams, redraw: () => void, reload: () => void, outdated: boolean}} View */

export const title = "Applications";

/** The tabs, and what an empty one says. @type {["pending" | "approved" | "rejected", string, string][]} */
const statuses = [
	["pending", "Pending", "Every application is decided. New ones appear here."],
	["approved", "Approved", "Applications that you approve appear here."],
	["rejected", "Rejected", "Applications that you reject appear here, with the reason that you gave."],
];

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal }) {
	return [...adminHead("Applications", "Who wants to teach. An approval gives the role of an educator at once."),
		load(() => read(signal), (data, reload) => view(data, query, reload))];
}

/** The applications, and the people by id. @param {AbortSignal} signal */
async function read(signal) {
	const [{ applications }, { users }] = await Promise.all([call("GET /api/admin/educator-applications", { signal }), call("GET /api/admin/users", { signal })]);
	return { applications, users: new Map(users.map((user) => [user._id, user])) };
}

/** @param {{applications: Application[], users: Map<string, User>}} data @param {URLSearchParams} query @param {() => void} reload */
function view(data, query, reload) {
	const region = h("div", {});
	/** @type {View} */
	const all = { ...data, query, reload, outdated: false, redraw: () => { draw(); /** @type {HTMLElement} */ (region.querySelector('[aria-selected="true"]')).focus(); } };
	const draw = () => fill(region, byStatus(all));
	draw();
	return region;
}

/** @param {View} view */
function byStatus(view) {
	const of = (/** @type {string} */ status) => view.applications.filter((each) => each.status === status);
	return tabs("Applications by status", statuses.map(([name, text, nothing]) => ({
		name, text: `${text} (${of(name).length})`,
		show: () => (of(name).length === 0 ? empty(`No ${name} applications`, nothing) : h("ul", { class: "stack plain-list" }, of(name).map((each) => h("li", {}, card(each, view))))),
	})), { chosen: view.query.get("status") ?? "pending", onchange: (name) => { view.query.set("status", name); setQuery(view.query); } });
}

/** @param {Application} application @param {View} view */
function card(application, view) {
	const user = view.users.get(application.userId ?? "") ?? { name: "User", email: "The account has not arrived yet." };
	const applied = application.createdAt ?? "";
	return h("article", { class: "card pad stack application" },
		h("header", { class: "person" }, avatar(user), h("div", {}, h("h2", {}, userLink(application.userId ?? "", user.name)), h("p", { class: "muted small" }, user.email))),
		h("p", {}, h("strong", {}, h("bdi", {}, application.professionalTitle)), " ", h("time", { class: "muted small", dateTime: applied, title: time(applied) }, `applied ${ago(applied)}`)),
		h("p", { class: "preserve measure" }, h("bdi", {}, application.bio)),
		application.expertise.length > 0 && h("ul", { class: "row plain-list", "aria-label": "Expertise" }, application.expertise.map((word) => h("li", { class: "badge" }, word))),
		application.linkedinUrl && webURL(application.linkedinUrl) && h("p", {}, h("a", { href: application.linkedinUrl, target: "_blank", rel: "noopener noreferrer" }, "LinkedIn profile", h("span", { class: "visually-hidden" }, ` of ${user.name}, in a new tab`))),
		application.status === "rejected" && h("p", { class: "notice" }, h("strong", {}, "Reason: "), application.rejectionReason || "none was given."),
		application.status === "pending" && actions(application, user.name, view));
}

/** @param {Application} application @param {string} name @param {View} view */
function actions(application, name, view) {
	const button = (/** @type {string} */ text, /** @type {string} */ kind, /** @type {() => any} */ onclick) => h("button", { class: `button ${kind}`, type: "button", "aria-label": `${text} the application of ${name}`, onclick }, text);
	return h("div", { class: "row" }, button("Approve", "primary", () => approve(application, name, view)), button("Reject", "", () => reject(application, name, view)));
}

/** @param {Application} application @param {string} name @param {View} view */
async function approve(application, name, view) {
	const done = await ask({
		title: `Approve ${name}?`, body: h("p", {}, "They become an educator and can publish courses at once. You cannot take this back here."), action: "Approve",
		submit: () => decide(view, call("PATCH /api/admin/educator-applications/{id}/approve", { path: { id: application._id } })),
	});
	if (done) decided(application, "approved", "", `${name} can publish courses now.`, view);
	else if (view.outdated) view.reload();
}

/** @param {Application} application @param {string} name @param {View} view */
async function reject(application, name, view) {
	const reason = field("Reason", { name: "reason", rows: 4, hint: "The applicant reads it, and may apply again.", check: (value) => ([...value].length > 1000 ? "At most 1,000 characters." : "") });
	const forget = keepDraft(`reject.${application._id}`, [reason]);
	const done = await ask({
		title: `Reject ${name}?`, body: reason.element, action: "Reject", kind: "danger",
		submit: async () => {
			if (!reason.valid()) { reason.input.focus(); throw new ApiError(400, "The reason is too long. Shorten it to 1,000 characters."); }
			await decide(view, call("PATCH /api/admin/educator-applications/{id}/reject", { path: { id: application._id }, body: { reason: reason.value() } }));
		},
	});
	if (done) forget();
	if (done) decided(application, "rejected", reason.value(), `The application of ${name} is rejected.`, view);
	else if (view.outdated) view.reload();
}

/**
 * Waits for a decision. A conflict says what to do next, because another administrator has decided or is deciding.
 * @param {View} view @param {Promise<any>} answer
 */
async function decide(view, answer) {
	try {
		await answer;
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 409) throw error;
		view.outdated = error.message.includes("already");
		const advice = error.message.includes("being reviewed") ? "Another decision is being made at this moment. Try again in a minute." : error.message.includes("own") ? "Ask another administrator." : "Close this dialog to see the new state.";
		throw new ApiError(409, `${error.message} ${advice}`);
	}
}

/** Shows the application under its new status. @param {Application} application @param {"approved" | "rejected"} status @param {string} reason @param {string} text @param {View} view */
function decided(application, status, reason, text, view) {
	Object.assign(application, { status, rejectionReason: reason });
	toast(text);
	view.redraw();
}
