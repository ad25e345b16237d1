// What comes after a film or a sound that has ended: it opens by itself after some seconds, unless the
// reader stays, is writing, or wants no movement on pages.
import { fill, h } from "../dom.js";
import { count } from "../format.js";
import { actionButton } from "./button.js";
import { toastError } from "./toast.js";

/** title names what comes next; open opens it; isMarked: that marks the lecture as done. @typedef {{title: string, isMarked: boolean, open: () => Promise<any>}} Target */

/** Seconds until the next lecture opens. */
const pause = 8;

/** @param {HTMLMediaElement} player @param {Target} target @param {AbortSignal} leave */
export function upNext(player, { title, isMarked, open }, leave) {
	const region = h("div", { class: "up-next", hidden: true });
	let timer = 0;
	const stop = () => clearInterval(timer);
	const hide = () => { stop(); region.hidden = true; };
	const show = () => {
		if (document.fullscreenElement) document.exitFullscreen();
		const when = h("p", { class: "small", "aria-live": "off" });
		const goOn = actionButton("Go on now", () => { stop(); return open(); }, { kind: "primary" });
		const stay = h("button", { class: "button", type: "button", onclick: () => { hide(); player.focus(); } }, "Stay here");
		region.hidden = false;
		fill(region, h("div", { class: "card pad stack tight" }, h("p", { role: "status" }, "This lecture is over. Next: ", h("strong", {}, h("bdi", {}, title))),
			when, isMarked && h("p", { class: "muted small" }, "Going on marks this lecture as done."), h("div", { class: "row" }, goOn, stay)));
		region.scrollIntoView({ block: "nearest" });
		if (!opensByItself()) return;
		let left = pause;
		const tell = () => { when.textContent = `It opens in ${count(left, "second")}.`; };
		tell();
		timer = window.setInterval(() => {
			if (--left > 0) { tell(); return; }
			stop();
			if (!opensByItself()) { when.textContent = ""; return; }
			open().catch(toastError);
		}, 1000);
	};
	player.addEventListener("ended", show);
	for (const event of ["play", "seeking"]) player.addEventListener(event, hide);
	leave.addEventListener("abort", stop, { once: true });
	return region;
}

/** Whether nothing of the reader would be interrupted. */
function opensByItself() {
	const isWriting = document.activeElement?.matches("input, textarea, select") || document.querySelector("dialog[open]");
	return !isWriting && !document.hidden && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
