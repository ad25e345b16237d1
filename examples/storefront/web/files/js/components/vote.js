// The button that gives and takes back an upvote. Visitors sign in first and come back.
import { fill, h } from "../dom.js";
import { number } from "../format.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { busy } from "./button.js";
import { toastError } from "./toast.js";

/** Whether the reader is signed in; a visitor is sent to sign in, and comes back to this page. */
export function signedIn() {
	if (session.token()) return true;
	go(pathTo.signIn());
	return false;
}

/**
 * @param {{upvoteCount: number, isUpvoted: boolean}} item a post or a reply; its counts are updated
 * @param {string} name what is voted for, for screen readers
 * @param {() => Promise<{upvoteCount: number, isUpvoted: boolean}>} toggle
 */
export function voteButton(item, name, toggle) {
	const button = h("button", { class: "button vote", type: "button", onclick: () => signedIn() && busy(button, change).catch(toastError) });
	const change = async () => {
		const { upvoteCount, isUpvoted } = await toggle();
		Object.assign(item, { upvoteCount, isUpvoted });
		draw();
	};
	const draw = () => {
		button.setAttribute("aria-pressed", String(item.isUpvoted));
		button.setAttribute("aria-label", `Upvote ${name}: ${number(item.upvoteCount)}`);
		fill(button, h("span", { "aria-hidden": "true" }, "▲"), h("span", { class: "number" }, number(item.upvoteCount)));
	};
	draw();
	return button;
}
