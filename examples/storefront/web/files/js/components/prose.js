// Text that people or the AI wrote, with a little of Markdown: paragraphs, headings, lists, code,
// bold, emphasis, and links for web addresses. It makes elements from the text and never parses it as
// HTML.
import { h } from "../dom.js";
import { webURL } from "../web-url.js";

/** @typedef {"text" | "bullets" | "numbers" | "heading" | "code"} Kind */
/** @typedef {{kind: Kind, start: number, lines: string[]}} Block start is the first number of a list */

/** @param {string} text @returns {HTMLElement} */
export function prose(text) {
	return h("div", { class: "prose", dir: "auto" }, blocks(text).map(element));
}

/** The mark before the text of a line, by kind. */
const marks = { bullets: /^\s*[-*•]\s+/, numbers: /^\s*(\d{1,3})[.)]\s+/, heading: /^#{1,6}\s+/ };

/** @param {string} line @returns {Block} */
function begin(line) {
	for (const [kind, mark] of Object.entries(marks)) {
		const found = line.match(mark);
		if (found) return { kind: /** @type {Kind} */ (kind), start: Number(found[1] ?? 1), lines: [line.slice(found[0].length)] };
	}
	return { kind: "text", start: 1, lines: [line] };
}

/** Splits a text into blocks. @param {string} text */
function blocks(text) {
	/** @type {Block[]} */
	const all = [];
	/** The block that the next line may continue. @type {Block | undefined} */
	let open;
	let gap = false; // a blank line precedes
	for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
		if (line.trimStart().startsWith("```")) {
			open = open?.kind === "code" ? undefined : { kind: "code", start: 1, lines: [] };
			if (open) all.push(open);
		} else if (open?.kind === "code") open.lines.push(line);
		else if (line.trim() === "") gap = true;
		else {
			const next = begin(line);
			if (!open || !extend(open, next, gap)) all.push(open = next);
			gap = false;
		}
	}
	return all;
}

/** Adds a line to the block before it, if it belongs there. @param {Block} block @param {Block} next @param {boolean} gap */
function extend(block, next, gap) {
	const isList = block.kind === "bullets" || block.kind === "numbers";
	if (block.kind === next.kind && (isList || (block.kind === "text" && !gap))) block.lines.push(...next.lines);
	else if (isList && next.kind === "text" && !gap) block.lines[block.lines.length - 1] += " " + next.lines[0].trim();
	else return false;
	return true;
}

/** @param {Block} block */
function element({ kind, start, lines }) {
	if (kind === "code") return h("pre", { tabIndex: 0, dir: "ltr" }, h("code", {}, lines.join("\n")));
	if (kind === "heading") return h("p", {}, h("strong", {}, inline(lines[0])));
	if (kind === "text") return h("p", { class: "preserve" }, inline(lines.join("\n")));
	const items = lines.map((line) => h("li", {}, inline(line)));
	return kind === "bullets" ? h("ul", {}, items) : h("ol", { start }, items);
}

/** Code between backticks, web addresses, bold between double asterisks, and emphasis between single ones. @param {string} text @returns {(Node | string)[]} */
function inline(text) {
	return text.split(/(`[^`\n]+`|\bhttps?:\/\/[^\s<>"`\p{Cc}\p{Cf}]+|\*\*[^*\n]+\*\*|\*[^*\s](?:[^*\n]*[^*\s])?\*)/iu).flatMap((part, i) => {
		if (i % 2 === 0) return [part];
		if (part.startsWith("`")) return [h("code", {}, part.slice(1, -1))];
		if (/^http/i.test(part)) return link(part);
		return part.startsWith("**") ? [h("strong", {}, inline(part.slice(2, -2)))] : [h("em", {}, inline(part.slice(1, -1)))];
	});
}

/**
 * A web address as a link. What ends the sentence around it is no part of it. An address with a name
 * before its host stays a text, because the name looks like a host.
 * @param {string} text @returns {(Node | string)[]}
 */
function link(text) {
	const address = withoutEnd(text), url = webURL(address);
	if (!url || url.username || url.password) return [text];
	return [h("a", { href: url.href, target: "_blank", rel: "noopener nofollow ugc" }, address), text.slice(address.length)];
}

/** An address without the punctuation after it; a closing bracket is kept if the address has the opening one. @param {string} text */
function withoutEnd(text) {
	const opening = text.split("(").length;
	let closing = text.split(")").length, end = text.length;
	for (; ".,;:!?'”’»)]}*_".includes(text[end - 1]); end--) {
		if (text[end - 1] !== ")") continue;
		if (closing <= opening) break;
		closing--;
	}
	return text.slice(0, end);
}
