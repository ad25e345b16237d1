// A lecture, shown by its URL: a page of this storefront as text, a file of video with controls, a
// video of a well-known host in a frame, and everything else as a link.
import { h, load } from "../dom.js";
import { ApiError } from "../api.js";
import { webURL } from "../web-url.js";
import { empty } from "./states.js";
import { safeContent } from "./safe-content.js";

/**
 * Shows a lecture. The caller shows its title.
 * @param {{lectureTitle: string, lectureUrl: string}} lecture
 * @returns {HTMLElement}
 */
export function lectureView({ lectureTitle, lectureUrl }) {
	if (lectureUrl === "") return empty("This lecture is for those who are enrolled", "Enrol in the course to open it.");
	const url = webURL(lectureUrl);
	if (!url) return empty("This lecture has no valid address", "Tell its educator in the community, and go on with the next one.");
	if (isOwnPage(url)) return load(() => readPage(url), (content) => h("div", { class: "lecture" }, content));
	if (/\.(mp4|webm|ogg|ogv|m4v)$/i.test(url.pathname)) return video(url, lectureTitle);
	const player = playerOf(url);
	return player ? frame(player, lectureTitle) : linkTo(url.href);
}

/** Whether a URL is a lecture that this storefront serves. The demo's URLs name the computer on which it was made. @param {URL} url */
const isOwnPage = (url) => url.pathname.startsWith("/lectures/") && (url.host === location.host || ["localhost", "127.0.0.1"].includes(url.hostname));

/** Reads the text of an own page. Its title is left out. @param {URL} url */
async function readPage(url) {
	const response = await fetch(url.pathname).catch(() => { throw new ApiError(0, "The lecture cannot be loaded. Try again when the connection is back."); });
	if (!response.ok) throw new ApiError(response.status, "This lecture has no text. Ask its educator in the community, and go on with the next one.");
	const main = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
	main?.querySelector("h1")?.remove();
	return main ? safeContent(main) : [];
}

/** A video; if it cannot be played here, a link to it. @param {URL} url @param {string} title */
function video(url, title) {
	const box = h("div", { class: "lecture-frame" });
	box.append(h("video", { src: url.href, controls: true, preload: "metadata", playsInline: true, "aria-label": title, onerror: () => box.replaceWith(linkTo(url.href, "The video cannot be played here.")) }));
	return box;
}

/** @param {string} src @param {string} title */
const frame = (src, title) => h("div", { class: "lecture-frame" }, h("iframe", { src, title, allow: "fullscreen; picture-in-picture", loading: "lazy" }));

/** The addresses of videos, and the player for the id in them. @type {[RegExp, string][]} */
const players = [
	[/^https:\/\/(?:www\.|m\.)?youtube\.com\/watch\?(?:.*&)?v=([\w-]+)/, "https://www.youtube-nocookie.com/embed/"],
	[/^https:\/\/(?:youtu\.be|(?:www\.)?youtube(?:-nocookie)?\.com\/embed)\/([\w-]+)/, "https://www.youtube-nocookie.com/embed/"],
	[/^https:\/\/(?:www\.)?(?:vimeo\.com|player\.vimeo\.com\/video)\/(\d+)/, "https://player.vimeo.com/video/"],
];

/** The address of the player of a video, or "" if its host is not known. @param {URL} url */
function playerOf({ href }) {
	for (const [address, player] of players) {
		const id = address.exec(href)?.[1];
		if (id) return player + id;
	}
	return "";
}

/** @param {string} href @param {string} [text] */
function linkTo(href, text = "This lecture is on another site.") {
	return h("div", { class: "state" }, h("p", {}, text), h("a", { class: "button", href, target: "_blank", rel: "noopener noreferrer" }, "Open the lecture in a new tab"));
}
