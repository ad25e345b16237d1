// Tells the server how long a page was in view.
import { call } from "./api.js";
import { session } from "./session.js";

/**
 * Counts the time during which a page is visible, and sends it when the reader leaves the page or
 * hides the window. A visit without a second in view is not sent.
 * @param {string} page its name in the statistics
 * @param {string} path as the contract has it: /player/COURSE or /quiz/COURSE/CHAPTER
 * @param {AbortSignal} signal of the visit
 */
export function trackVisit(page, path, signal) {
	const token = session.token();
	let seen = 0, last = Date.now(), visible = !document.hidden;
	/** Adds the time since the last call. A longer gap means that the computer slept. */
	const count = () => {
		const passed = (Date.now() - last) / 1000;
		if (visible && passed < 60) seen += passed;
		last = Date.now();
		visible = !document.hidden;
	};
	const send = () => {
		count();
		if (seen >= 1 && session.token() === token) call("POST /api/user/track-time", { body: { page, path, duration: Math.min(seen, 86400) }, keepalive: true }).catch(() => {});
		seen = 0;
	};
	const ticks = setInterval(count, 15000);
	document.addEventListener("visibilitychange", () => (document.hidden ? send() : count()), { signal });
	signal.addEventListener("abort", () => { clearInterval(ticks); send(); }, { once: true });
}
