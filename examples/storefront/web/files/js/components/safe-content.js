// Copies of texts that come as HTML: only elements and attributes that are known to be harmless.
import { h } from "../dom.js";
import { webURL } from "../web-url.js";

const words = (/** @type {string} */ text) => new Set(text.split(" "));
const elements = words("p h2 h3 h4 ul ol li dl dt dd div section span pre code kbd samp var em strong b i s del mark sub sup br hr blockquote q cite abbr time figure figcaption table caption thead tbody tfoot tr th td a img svg title desc g path line rect circle ellipse polyline polygon text tspan");
const attributes = words("scope colspan rowspan dir lang start role aria-label viewBox width height x y x1 x2 y1 y2 cx cy r rx ry d points transform fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin opacity font-family font-size font-weight text-anchor");
const namespaces = words("http://www.w3.org/1999/xhtml http://www.w3.org/2000/svg");

/**
 * Returns copies of the children of an element. Elements that are not known are left out.
 * @param {Element} element
 * @returns {(Node | string)[]}
 */
export const safeContent = (element) => [...element.childNodes].flatMap(copy);

/** @param {Node} node @returns {(Node | string)[]} */
function copy(node) {
	if (node instanceof Text) return [node.data];
	if (!(node instanceof Element) || !elements.has(node.localName) || !namespaces.has(node.namespaceURI ?? "")) return [];
	const made = document.createElementNS(node.namespaceURI, node.localName);
	for (const { name, value } of node.attributes) if (attributes.has(name)) made.setAttribute(name, value);
	if (node.localName === "a") link(node, made);
	if (made instanceof HTMLImageElement && !picture(node, made)) return [];
	made.append(...safeContent(node));
	return [scrolling(made)];
}

/** Keeps the address of a link to a web page; it opens in a new tab. @param {Element} from @param {Element} to */
function link(from, to) {
	const url = webURL(from.getAttribute("href") ?? "", location.origin);
	if (!url) return;
	to.setAttribute("href", url.href);
	to.setAttribute("target", "_blank");
	to.setAttribute("rel", "noopener noreferrer");
}

/** Keeps the address of a picture of the web. It returns false if there is none. @param {Element} from @param {HTMLImageElement} to */
function picture(from, to) {
	const url = webURL(from.getAttribute("src") ?? "");
	if (url?.protocol !== "https:") return false;
	Object.assign(to, { src: url.href, alt: from.getAttribute("alt") ?? "", loading: "lazy", referrerPolicy: "no-referrer" });
	return true;
}

/** Wide code and tables scroll in a box of their own, with the keyboard too. @param {Element} element */
function scrolling(element) {
	if (element.localName === "pre") element.setAttribute("tabindex", "0");
	return element.localName === "table" ? h("div", { class: "table-scroll", tabIndex: 0 }, element) : element;
}
