// The fields that courses and bundles have, for the pages that make one and that edit one.
import { fill, h } from "../dom.js";
import { money } from "../format.js";
import { field } from "../components/field.js";
import { checks, resultingPrice } from "./teach-new-draft.js";

/**
 * What every part of the form needs: changed is called after each change of the draft; noun is what the form is of.
 * @typedef {Pick<import("./teach-new-draft.js").Draft, "title" | "description" | "price" | "prices" | "discount" | "published">} Draft
 * @typedef {{draft: Draft, changed: () => void, noun?: string}} Form
 */

/** @param {string} heading @param {...Node} children */
export const part = (heading, ...children) => h("section", { class: "card pad stack" }, h("h2", {}, heading), children);

const aboutText = "What students can do after the course, and what they must know before it.";

/** @param {Form & {about?: string}} form about is what the description is to say */
export function textFields({ draft, changed, about = aboutText }) {
	const name = field("Title", { name: "courseTitle", value: draft.title, required: true, check: checks.title, oninput: (value) => { draft.title = value; changed(); } });
	const text = field("Description", { name: "courseDescription", value: draft.description, rows: 7, check: checks.description, hint: `${about} Lines that begin with “- ” or “1. ” become lists, and web addresses become links.`, oninput: (value) => { draft.description = value; changed(); } });
	return { element: h("div", { class: "stack" }, name.element, text.element), fields: [name, text] };
}

/** @param {Form} form */
export function priceFields({ draft, changed, noun = "course" }) {
	const result = h("p", { role: "status" });
	const show = () => {
		const price = resultingPrice(draft);
		fill(result, Number.isNaN(price) ? h("span", { class: "muted" }, "What students pay is shown here.") : price === 0 ? `The ${noun} is free.` : ["Students pay ", h("strong", {}, money(price)), "."]);
	};
	const number = (/** @type {string} */ label, /** @type {"price" | "discount"} */ name, /** @type {string} */ hint) => field(label, { name, value: draft[name], required: true, inputMode: "decimal", autocomplete: "off", hint, check: checks[name], oninput: (value) => { draft[name] = value; changed(); show(); } });
	const price = number("Price", "price", `In ${document.documentElement.dataset.currency || "INR"}; 0 is free.`);
	const discount = number("Discount in per cent", "discount", "0 to 100");
	const prices = field("Prices in other currencies", { name: "prices", value: draft.prices, rows: 3, autocomplete: "off", check: checks.prices, hint: "One on each line, such as EUR 21.50. Students choose at the checkout. The discount applies to each.", oninput: (value) => { draft.prices = value; changed(); } });
	show();
	return { element: h("div", { class: "stack" }, h("div", { class: "price-fields" }, price.element, discount.element), result,
		h("details", { open: draft.prices !== "" }, h("summary", {}, "Other currencies"), prices.element)), fields: [price, discount, prices] };
}

/** A choice between what is published and a draft, each with its name and what it means. @param {Form} form @param {[name: string, text: string]} published @param {[name: string, text: string]} hidden */
export function visibility({ draft, changed }, published, hidden) {
	const choice = (/** @type {boolean} */ value, /** @type {[string, string]} */ [name, text]) => h("label", { class: "choice" },
		h("input", { type: "radio", name: "isPublished", checked: draft.published === value, onchange: () => { draft.published = value; changed(); } }),
		h("span", {}, h("strong", {}, name), h("span", { class: "muted small choice-text" }, text)));
	return h("fieldset", { class: "stack tight" }, h("legend", { class: "visually-hidden" }, "Who can see it"), choice(true, published), choice(false, hidden));
}

/** The bar with the button that saves: it stays at the foot of the window. @param {...(Node | null)} children */
export const saveBar = (...children) => h("div", { class: "save-bar stack tight" }, ...children);
