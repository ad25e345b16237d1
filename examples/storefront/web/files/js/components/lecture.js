// A lecture of any kind: a video or a sound with controls, a text, a file, a video of a well-known host
// in a frame. A lecture without a kind is its URL: a page of this storefront is shown as text.
import { h, load } from "../dom.js";
import { ApiError } from "../api.js";
import { webURL } from "../web-url.js";
import { assignmentText, assignmentWork } from "./assignment.js";
import { attachmentList } from "./attachments.js";
import { canShow, inlineFile, typeOf } from "./inline-file.js";
import { markdown } from "./markdown.js";
import { media } from "./media.js";
import { empty } from "./states.js";
import { safeContent } from "./safe-content.js";

/**
 * @typedef {import("./learning-course.js").Lecture} EnrolledLecture
 * @typedef {Omit<EnrolledLecture, "position">} Lecture
 * @typedef {{watching?: import("./media.js").Watching, onPlayer?: (player: HTMLMediaElement) => void, work?: {courseId: string, signal: AbortSignal}}} Options
 *   onPlayer gets the video or sound, if there is one; work is given to a student, who works on assignments
 */

/**
 * Shows a lecture. The caller shows its title.
 * @param {Lecture} lecture @param {Options} [options]
 * @returns {HTMLElement}
 */
export function lectureView(lecture, options = {}) {
	const { first, more } = lectureParts(lecture, options);
	return h("div", { class: "stack loose" }, first, more);
}

/**
 * Shows a lecture in two parts: the film, sound, file or page that it is, and what belongs to it. The
 * second part of a text or an assignment is null.
 * @param {Lecture} lecture @param {Options} [options]
 * @returns {{first: HTMLElement, more: HTMLElement | null}}
 */
export function lectureParts(lecture, options = {}) {
	const { kind, lectureUrl, text = "", attachments = [], assignment } = lecture;
	const whole = (/** @type {import("../dom.js").Child[]} */ ...parts) => ({ first: h("div", { class: "stack loose" }, parts), more: null });
	if (kind === "assignment" && assignment) return whole(text && markdown(text), assignmentText(assignment), attachmentList(attachments), options.work && assignmentWork({ courseId: options.work.courseId, lectureId: lecture.lectureId }, options.work.signal));
	if (lectureUrl === "" && text === "" && attachments.length === 0 && kind !== "text") return whole(empty("This lecture is for those who are enrolled", "Enrol in the course to open it."));
	const shown = content(lecture, options), files = attachmentList(attachments);
	if (!shown) return whole(text && markdown(text), files);
	return { first: shown, more: text || files ? h("div", { class: "stack loose" }, text && markdown(text), files) : null };
}

/** @param {Lecture} lecture @param {Options} options */
function content({ kind, lectureTitle, lectureUrl, captions = [] }, { watching, onPlayer }) {
	if (kind === "text") return null;
	const url = webURL(lectureUrl);
	if (!url) return empty("This lecture has no valid address", "Tell its educator in the community, and go on with the next one.");
	if (kind === "file") return file(url.href, lectureTitle);
	if (kind === "embed") return embed(playerOf(url) || url.href, lectureTitle);
	if (isOwnPage(url)) return load(() => readPage(url), (page) => h("div", { class: "lecture" }, page));
	const player = playerOf(url);
	if (player) return frame(player, lectureTitle);
	if (!kind && !/\.(mp4|webm|ogg|ogv|m4v)$/i.test(url.pathname)) return linkTo(url.href);
	const shown = media({ url: url.href, title: lectureTitle, isAudio: kind === "audio", captions, watching, failed: () => linkTo(url.href, `The ${kind ?? "video"} cannot be played here.`) });
	onPlayer?.(shown.player);
	return shown.element;
}

/** A picture or a PDF in the page, and a link to it; of other files the link alone. @param {string} url @param {string} title */
function file(url, title) {
	const type = typeOf(url), text = "Open the file in a new tab";
	if (!canShow(type)) return linkTo(url, "This lecture is a file.", text);
	return h("div", { class: "stack tight" }, inlineFile(url, type, title), h("p", {}, h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, text)));
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

/** A page of another site, which is asked only if the reader wants that, because it learns who looks. @param {string} src @param {string} title */
function embed(src, title) {
	const { host } = new URL(src);
	const box = h("div", { class: "lecture-frame lecture-embed" });
	box.append(h("div", { class: "stack" }, h("p", {}, `This lecture is shown by ${host}, which learns that you look at it.`),
		h("button", { class: "button", type: "button", onclick: () => { const shown = frame(src, title); box.replaceWith(shown); shown.querySelector("iframe")?.focus(); } }, `Load it from ${host}`)));
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

/** @param {string} href @param {string} [text] @param {string} [name] */
function linkTo(href, text = "This lecture is on another site.", name = "Open the lecture in a new tab") {
	return h("div", { class: "state" }, h("p", {}, text), h("a", { class: "button", href, target: "_blank", rel: "noopener noreferrer" }, name));
}
