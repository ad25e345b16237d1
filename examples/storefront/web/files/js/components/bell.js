// The bell of the header: how many notifications are not read. The server tells when that changes, as
// long as the tab is in view.
import { fill, h, svg } from "../dom.js";
import { ApiError, request } from "../api.js";
import { session } from "../session.js";
import { events } from "../stream.js";

const firstPause = 2_000, longestPause = 60_000; // milliseconds, before the stream is opened again

const number = h("span", { class: "bell-number", "aria-hidden": "true", hidden: true });
const link = h("a", { class: "button quiet icon bell", href: "/notifications" },
	svg("svg", { class: "icon-picture", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21.5h4" })), number);

/** Shows how many notifications are not read. @param {number} unread at most 99, which means that or more */
export function tellUnread(unread) {
	const text = unread >= 99 ? "99+" : String(unread);
	number.hidden = unread === 0;
	fill(number, text);
	link.setAttribute("aria-label", unread === 0 ? "Notifications" : `Notifications: ${text} not read`);
}

/** The token with which the server is listened to, and what ends that. */
let listening = { token: "", end: new AbortController() };

/** The bell of the person who is signed in. */
export function bell() {
	listen();
	return link;
}

/** Listens for the person who is signed in, if the tab is in view, and to nobody else. */
function listen() {
	const token = document.hidden ? "" : session.token();
	if (token === listening.token) return;
	listening.end.abort();
	listening = { token, end: new AbortController() };
	if (token) follow(listening.end.signal);
}

/** @param {AbortSignal} signal */
async function follow(signal) {
	for (let pause = firstPause; !signal.aborted; pause = Math.min(2 * pause, longestPause)) {
		try {
			const response = await request("GET", "/api/user/notifications/stream", { accept: "text/event-stream", signal });
			for await (const { data } of events(response)) {
				tellUnread(data.unread);
				pause = firstPause;
			}
		} catch (error) {
			if (signal.aborted || (error instanceof ApiError && [401, 403].includes(error.status))) return;
			if (error instanceof ApiError) pause = Math.max(pause, 1000 * error.retryAfter);
		}
		await new Promise((resolve) => setTimeout(resolve, pause));
	}
}

tellUnread(0);
session.watch(listen);
document.addEventListener("visibilitychange", listen);
