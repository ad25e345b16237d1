// A picture or a PDF in the page, with a way to open it on its own.
import { h } from "../dom.js";

/** The media type of a file behind a signed URL, which names it; "" if it does not. @param {string} url */
export function typeOf(url) {
	const { searchParams } = new URL(url);
	return searchParams.get("type") ?? searchParams.get("response-content-type") ?? "";
}

/** Whether the page can show a file: some browsers have no viewer of PDFs. @param {string} type */
export const canShow = (type) => type.startsWith("image/") || (type === "application/pdf" && navigator.pdfViewerEnabled);

/** Shows a file of a type that canShow accepts. @param {string} url @param {string} type @param {string} title */
export function inlineFile(url, type, title) {
	if (type.startsWith("image/")) return h("img", { class: "file-picture", src: url, alt: title });
	return h("iframe", { class: "file-frame", src: url, title });
}

/** A picture or a PDF in a list of files, which is loaded when the reader opens it. @param {string} url @param {string} type as of inlineFile @param {string} title */
export function showHere(url, type, title) {
	const details = h("details", { class: "small file-here", ontoggle: () => { if (details.open && details.childElementCount === 1) details.append(inlineFile(url, type, title)); } },
		h("summary", { "aria-label": `Show it on this page: ${title}` }, "Show it on this page"));
	return details;
}
