// The tutor beside a lecture: it is told of the lecture's text and captions, and its answer leads to the
// second that it names.
import { h } from "../dom.js";
import { clock } from "../format.js";
import { pathTo } from "../paths.js";
import { askTutor, growingAnswer, messageItem } from "./chat.js";
import { composer } from "./composer.js";

/** player is the video or sound of the lecture, if it is one; leave is aborted when the reader leaves the page. @typedef {{courseId: string, lectureId: string, player: HTMLMediaElement | null, leave: AbortSignal}} Place */

/** @param {Place} place */
export function lectureTutor({ courseId, lectureId, player, leave }) {
	let sessionId = "";
	const log = h("ol", { class: "plain-list messages", tabIndex: 0, "aria-label": "Conversation" }), status = h("p", { class: "visually-hidden", role: "status" }), whole = h("p", { class: "small", hidden: true });
	const answer = async (/** @type {string} */ content, /** @type {AbortSignal} */ signal) => {
		const written = growingAnswer(), asked = messageItem({ role: "user", content });
		log.querySelectorAll(".unkept").forEach((item) => item.remove());
		for (const item of [asked, written.element]) item.classList.add("unkept");
		log.append(asked, written.element);
		status.textContent = "The tutor is writing.";
		try {
			const seconds = player ? player.currentTime : undefined;
			const turn = await askTutor({ content, sessionId: sessionId || undefined, courseId, lectureId, seconds }, signal, written.add);
			const item = messageItem({ role: "assistant", content: turn.response });
			item.append(sourceLink(turn.source, lectureId, player));
			written.element.replaceWith(item);
			asked.classList.remove("unkept");
			sessionId = turn.activeSessionId;
			whole.replaceChildren(h("a", { href: `/tutor/${encodeURIComponent(sessionId)}` }, "Open this chat on its own page"));
			whole.hidden = false;
			status.textContent = "The tutor has answered.";
		} catch (error) {
			status.textContent = "";
			written.stop(`${signal.aborted ? "You have stopped this answer; it is not kept." : "This answer is not complete."} Your question is in the box again.`);
			throw error;
		}
	};
	const box = composer(answer, { leave, draft: `tutor.${courseId}.${lectureId}`, advice: () => [] });
	return h("section", { class: "card pad stack lecture-tutor" }, h("h2", { class: "aside-title" }, "Ask the tutor"),
		h("p", { class: "muted small" }, "It knows the text and the captions of this lecture."), log, status, whole, box.element);
}

/** Where the answer comes from: a button that goes to the second, or a link to the lecture. @param {import("./chat.js").Turn["source"]} source @param {string} lectureId @param {HTMLMediaElement | null} player */
function sourceLink(source, lectureId, player) {
	if (!source) return "";
	const { courseId, lectureTitle, seconds } = source, at = seconds === null ? "" : ` at ${clock(seconds)}`;
	if (player && seconds !== null && source.lectureId === lectureId) return h("div", {}, h("button", { class: "button small", type: "button", onclick: () => { player.currentTime = seconds; player.scrollIntoView({ block: "nearest" }); } }, `Go to ${clock(seconds)}`));
	return h("p", { class: "small" }, "From ", h("a", { href: pathTo.lecture(courseId, source.lectureId) + (seconds === null ? "" : `?at=${seconds}`) }, h("bdi", {}, lectureTitle), at));
}
