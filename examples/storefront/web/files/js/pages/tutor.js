// The tutor: a chat whose answers are shown as they are written, and the earlier chats beside it.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { askTutor, growingAnswer, messageItem } from "../components/chat.js";
import { chatList } from "../components/chats.js";
import { composer } from "../components/composer.js";

/** @typedef {import("../components/chat.js").Message} Message */

export const title = "Tutor";

/** Messages that a chat can hold. */
const full = 500;
const suggestions = ["What should I learn next?", "Ask me three questions about my course.", "How do I keep at it when I have little time?"];

/** @param {import("../router.js").Visit} visit */
export function page({ params, signal }) {
	const sessionId = params.sessionId ?? "";
	const chats = chatList(sessionId);
	const chat = (/** @type {Message[]} */ messages) => conversation({ sessionId, messages, leave: signal, onTurn: chats.update });
	return [
		h("header", { class: "page-head" }, h("div", {}, h("h1", {}, "Tutor"), h("p", { class: "lead" }, "Ask about your courses. The tutor knows which ones you take, how far you are, and how your quizzes went.")),
			h("a", { class: "button", href: "/tutor" }, "New chat")),
		h("div", { class: "tutor" }, chats.element,
			sessionId ? load(() => call("GET /api/user/chat/{sessionId}", { path: { sessionId } }), (answer) => chat(answer.messages)) : chat([])),
	];
}

/**
 * @param {{sessionId: string, messages: Message[], leave: AbortSignal, onTurn: (sessionId: string, opening: string) => void}} options
 *   leave is aborted when the reader leaves the page; onTurn is called after each answer
 */
function conversation({ sessionId, messages, leave, onTurn }) {
	const log = h("ol", { class: "plain-list messages" }, messages.map(messageItem));
	const status = h("p", { class: "visually-hidden", role: "status" });
	const answer = async (/** @type {string} */ content, /** @type {AbortSignal} */ signal) => {
		start.hidden = true;
		const written = growingAnswer();
		showUnkept(log, messageItem({ role: "user", content }), written.element);
		status.textContent = "The tutor is writing.";
		try {
			const turn = await askTutor({ content, sessionId: sessionId || undefined }, signal, (part) => followEnd(() => written.add(part)));
			messages = turn.conversationHistory;
			followEnd(() => fill(log, messages.map(messageItem)));
			keepAddress(sessionId = turn.activeSessionId);
			onTurn(sessionId, messages[0].content);
			status.textContent = "The tutor has answered.";
		} catch (error) {
			status.textContent = signal.aborted ? "Stopped. Your question is in the box again." : "";
			written.stop(`${signal.aborted ? "You have stopped this answer; it is not kept." : "This answer is not complete."} Your question is in the box again.`);
			throw error;
		}
	};
	const box = composer(answer, { leave, advice: () => (messages.length >= full - 1 ? [" ", h("a", { href: "/tutor" }, "Start a new chat")] : []) });
	const start = h("div", { class: "stack suggestions", hidden: messages.length > 0 }, h("p", { class: "muted" }, "What would you like to know? For example:"),
		h("div", { class: "row" }, suggestions.map((text) => h("button", { class: "button", type: "button", onclick: () => box.suggest(text) }, text))));
	if (messages.length > 0) requestAnimationFrame(toEnd);
	return h("section", { class: "chat", "aria-label": "Chat" }, h("h2", { class: "visually-hidden" }, "Chat"), log, start, status, box.element);
}

/** Adds the messages of a turn that is not complete, in place of those of an earlier one. @param {HTMLElement} log @param {...HTMLElement} items */
function showUnkept(log, ...items) {
	log.querySelectorAll(".unkept").forEach((item) => item.remove());
	items.forEach((item) => item.classList.add("unkept"));
	log.append(...items);
	toEnd();
}

/** Gives a new chat its address without opening the page again. @param {string} sessionId */
function keepAddress(sessionId) {
	if (location.pathname === "/tutor") history.replaceState(history.state, "", `/tutor/${encodeURIComponent(sessionId)}`);
}

const toEnd = () => scrollTo(0, document.documentElement.scrollHeight);

/** Calls change, and keeps the end of the page in view if the reader is there. @param {() => void} change */
function followEnd(change) {
	const near = document.documentElement.scrollHeight - scrollY - innerHeight < 300;
	change();
	if (near) requestAnimationFrame(toEnd);
}
