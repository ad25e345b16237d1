// The files that belong to a lecture.
import { h } from "../dom.js";
import { fileSize } from "../format.js";
import { canShow, showHere } from "./inline-file.js";

/** @typedef {NonNullable<import("./learning-course.js").Lecture["attachments"]>[number]} Attachment */

/** @param {Attachment[]} attachments */
export function attachmentList(attachments) {
	const shown = attachments.filter(({ url }) => url);
	if (shown.length === 0) return null;
	return h("section", { class: "stack tight" }, h("h2", { class: "aside-title" }, "Files of this lecture"), h("ul", { class: "list card attachments" }, shown.map(({ title, url = "", type = "", size }) => h("li", { class: "row spread" },
		h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, h("bdi", {}, title)), h("span", { class: "muted small" }, [nameOf(type), size && fileSize(size)].filter(Boolean).join(", ")),
		canShow(type) && showHere(url, type, title)))));
}

/** The name of a type of files for people, such as PDF. @param {string} [type] */
const nameOf = (type = "") => (/^application\/vnd\.|msword/.test(type) ? "Office file" : type.split("/")[1]?.replace("plain", "text").toUpperCase() ?? "");
