// What the reader is told of, the newest first, and of what they want to be told.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { ago, time } from "../format.js";
import { session } from "../session.js";
import { tellUnread } from "../components/bell.js";
import { actionButton } from "../components/button.js";
import { kindsOf, worded } from "../components/notification.js";
import { pagedList } from "../components/paged-list.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {import("../components/notification.js").Notification} Notification */

export const title = "Notifications";
export const width = "narrow";

const pageSize = 30;

/** @param {import("../router.js").Visit} visit */
export function page({ place }) {
	const list = h("div");
	const show = () => fill(list, rows(place));
	show();
	return [h("header", { class: "page-head" }, h("h1", {}, "Notifications"), actionButton("Mark all as read", async () => {
		await call("POST /api/user/notifications/read", { body: { before: new Date().toISOString() } });
		tellUnread(0);
		show();
	})), list, h("section", {}, settings())];
}

/** @param {import("../place.js").Place} place */
const rows = (place) => pagedList({
	read: async (cursor) => {
		const { notifications, unread, nextCursor = null } = await call("GET /api/user/notifications", { query: { limit: pageSize, cursor } });
		tellUnread(unread);
		return { rows: notifications, nextCursor };
	},
	row, place, list: "card list",
	nothing: () => empty("Nothing yet", "Here you read when somebody replies to you, when your work is graded, and what is new in your courses."),
});

/** @param {Notification} n */
function row(n) {
	const { text, path } = worded(n) ?? { text: [n.title || "News"], path: "/notifications" };
	// A link that leads away from this page need not wait for the answer.
	const read = () => { if (!n.isRead) call("POST /api/user/notifications/read", { body: { ids: [n._id] }, keepalive: true }).catch(() => {}); };
	return h("li", { class: "row spread notification" },
		h("div", {}, h("a", { href: path, onclick: read }, text), h("p", { class: "muted small" }, h("time", { dateTime: n.createdAt, title: time(n.createdAt) }, ago(n.createdAt)))),
		n.isRead ? null : h("span", { class: "badge accent" }, "New"));
}

function settings() {
	const details = h("details", { id: "settings" }, h("summary", {}, "What you are told of"));
	details.addEventListener("toggle", () => { if (details.open && details.childElementCount === 1) details.append(load(() => call("GET /api/user/notifications/settings"), ({ muted }) => choices(new Set(muted)))); });
	if (location.hash === "#settings") details.open = true;
	return details;
}

/** @param {Set<string>} muted */
function choices(muted) {
	/** @param {[kind: string, name: string]} of */
	const choice = ([kind, name]) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: !muted.has(kind), onchange: (/** @type {any} */ event) => { if (event.target.checked) muted.delete(kind); else muted.add(kind); } }), name);
	return h("div", { class: "stack" }, h("fieldset", { class: "stack tight" }, h("legend", { class: "muted small" }, "What you switch off is not told to you from then on."), kindsOf(session.role() !== "student").map(choice)),
		h("div", {}, actionButton("Save", async () => {
			await call("PUT /api/user/notifications/settings", { body: { muted: /** @type {any} */ ([...muted]) } });
			toast("The settings are saved.");
		}, { kind: "primary" })));
}
