// A conversation with the tutor: its messages, and a question whose answer arrives in parts.
import { fill, h } from "../dom.js";
import { ApiError, request } from "../api.js";
import { events } from "../stream.js";
import { prose } from "./prose.js";

/** @typedef {{role: "user" | "assistant", content: string}} Message */

/** @param {Message} message */
export function messageItem({ role, content }) {
	const text = role === "user" ? h("p", { class: "preserve", dir: "auto" }, content) : prose(content);
	return h("li", { class: `message ${role}` }, h("h3", { class: "small muted" }, role === "user" ? "You" : "Tutor"), text);
}

/** An answer that is being written. */
export function growingAnswer() {
	const text = h("div", {}, h("p", { class: "muted row" }, h("span", { class: "spinner", "aria-hidden": "true" }), "Thinking…"));
	const element = h("li", { class: "message assistant", "aria-busy": "true" }, h("h3", { class: "small muted" }, "Tutor"), text);
	let written = "", waiting = false;
	const draw = () => {
		waiting = false;
		if (written) fill(text, prose(written));
	};
	return {
		element,
		/** Adds a part; the text is drawn at most once a frame. @param {string} part */
		add(part) {
			written += part;
			if (!waiting) requestAnimationFrame(draw);
			waiting = true;
		},
		/** Shows that no more of this answer comes. @param {string} reason */
		stop(reason) {
			element.removeAttribute("aria-busy");
			fill(text, written && prose(written), h("p", { class: "muted small" }, reason));
			written = "";
		},
	};
}

/** @typedef {import("../types").Answer<"POST /api/user/ai-chat">} Turn */

/**
 * Asks the tutor and returns the whole answer; each part is passed to onPart as it arrives.
 * @param {{content: string, sessionId?: string, courseId?: string, lectureId?: string, seconds?: number}} body with courseId and lectureId it is asked at a lecture, at a second of it
 * @param {AbortSignal} signal
 * @param {(part: string) => void} onPart
 * @returns {Promise<Turn>}
 */
export async function askTutor(body, signal, onPart) {
	const response = await request("POST", "/api/user/ai-chat", { body, signal, accept: "text/event-stream" });
	let turn;
	try {
		for await (const { event, data } of events(response)) {
			if (event === "delta") onPart(data.content);
			if (event === "done") turn = data;
			if (event === "error") throw new ApiError(500, data.message);
		}
	} catch (error) {
		if (!turn && (error instanceof ApiError || signal.aborted)) throw error;
	}
	if (turn) return turn;
	throw new ApiError(0, "The connection was lost before the answer was complete. Ask again in a moment.");
}
