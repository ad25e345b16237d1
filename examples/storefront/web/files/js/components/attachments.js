// The files that belong to a lecture.
import { h } from "../dom.js";
import { fileSize } from "../format.js";
import { canShow, inlineFile } from "./inline-file.js";

/** @typedef {NonNullable<import("./learning-course.js").Lecture["attachments"]>[number]} Attachment */

/** @param {Attachment[]} attachments */
export function attachmentList(attachments) {
	const shown = attachments.filter(({ url }) => url);
	if (shown.length === 0) return null;
	return h("section", { class: "stack tight" }, h("h2", { class: "aside-title" }, "Files of this lecture"), h("ul", { class: "list card attachments" }, shown.map(({ title, url = "", type = "", size }) => h("li", { class: "row spread" },
		h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, h("bdi", {}, title)), h("span", { class: "muted small" }, [nameOf(type), size && fileSize(size)].filter(Boolean).join(", ")),
		canShow(type) && showHere(url, type, title)))));
}

/** A picture or a PDF, which is loaded when the reader opens it. @param {string} url @param {string} type @param {string} title */
function showHere(url, type, title) {
	const details = h("details", { class: "small attachment-here", ontoggle: () => { if (details.open && details.childElementCount === 1) details.append(inlineFile(url, type, title)); } },
		h("summary", { "aria-label": `Show it on this page: ${title}` }, "Show it on this page"));
	return details;
}

/** The name of a type of files for people, such as PDF. @param {string} [type] */
const nameOf = (type = "") => (/^application\/vnd\.|msword/.test(type) ? "Office file" : type.split("/")[1]?.replace("plain", "text").toUpperCase() ?? "");
