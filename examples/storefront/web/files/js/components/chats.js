// The list of the reader's chats with the tutor.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { ago } from "../format.js";
import { go } from "../router.js";
import { actionButton } from "./button.js";
import { ask } from "./dialog.js";
import { toast } from "./toast.js";

/** @typedef {{sessionId: string, messages: string, updatedAt: string}} Chat messages is the first message */

/**
 * @param {string} current the id of the chat that is shown, or ""
 * @returns {{element: HTMLElement, update: (sessionId: string, opening: string) => void}} update puts a chat first
 */
export function chatList(current) {
	/** @type {Chat[]} */
	let chats = [];
	const list = h("div", {});
	const draw = () => fill(list, chats.length === 0
		? h("p", { class: "muted small chats-empty" }, "Your chats are listed here. Ask a first question.")
		: h("ul", { class: "list" }, chats.map((chat) => chatItem(chat, current, remove))));
	const remove = async (/** @type {Chat} */ chat) => {
		chats = chats.filter((other) => other !== chat);
		toast("The chat is deleted.");
		if (chat.sessionId === current) await go("/tutor", { replace: true });
		else draw();
	};
	const update = (/** @type {string} */ sessionId, /** @type {string} */ opening) => {
		current = sessionId;
		chats = [{ sessionId, messages: opening, updatedAt: new Date().toISOString() }, ...chats.filter((chat) => chat.sessionId !== sessionId)];
		draw();
	};
	const region = load(() => call("POST /api/user/previous-chats"), (answer) => {
		chats = answer.chats;
		draw();
		return list;
	});
	const element = h("details", { class: "card chats", open: matchMedia("(min-width: 60rem)").matches }, h("summary", {}, h("h2", {}, "Your chats")), region);
	return { element, update };
}

/** @param {Chat} chat @param {string} current @param {(chat: Chat) => Promise<void>} remove */
function chatItem(chat, current, remove) {
	return h("li", { class: "row" },
		h("div", { class: "grow" }, h("a", { href: `/tutor/${encodeURIComponent(chat.sessionId)}`, dir: "auto", "aria-current": chat.sessionId === current ? "page" : null }, chat.messages), h("p", { class: "muted small" }, ago(chat.updatedAt))),
		actionButton("✕", () => deleteChat(chat, remove), { kind: "quiet icon", name: `Delete the chat “${chat.messages.slice(0, 60)}”` }));
}

/** @param {Chat} chat @param {(chat: Chat) => Promise<void>} remove */
async function deleteChat(chat, remove) {
	const sure = await ask({ title: "Delete this chat?", kind: "danger", action: "Delete the chat", body: "All its questions and answers are removed. This cannot be undone.",
		submit: () => call("DELETE /api/user/chat/{sessionId}", { path: { sessionId: chat.sessionId } }) });
	if (sure) await remove(chat);
}
