// Fields of forms: label, input, hint, and what is wrong with the value.
import { h } from "../dom.js";

let made = 0;

/**
 * A field. check returns what is wrong with a value, or "". It runs when the reader goes to
 * another field, and after that as they type.
 * @param {string} label
 * @param {{name: string, type?: string, value?: string, hint?: string, required?: boolean, rows?: number, maxLength?: number, placeholder?: string, autocomplete?: string, inputMode?: string, options?: [string, string][], check?: (value: string) => string, oninput?: (value: string) => void}} options
 *   rows makes a text area, options (value and text) a select; a field for decimals says how it reads a comma
 */
export function field(label, { name, type = "text", value = "", hint = "", required = false, rows, maxLength, placeholder, autocomplete, inputMode, options, check, oninput }) {
	const id = `${name}-${++made}`;
	const shared = { id, name, class: "input", required, "aria-describedby": `${id}-hint ${id}-problem` };
	const input = options
		? h("select", shared, options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)))
		: rows ? h("textarea", { ...shared, rows, maxLength, placeholder }) : h("input", { ...shared, type, maxLength, placeholder, autocomplete, inputMode, step: type === "number" ? "any" : null });
	if (!options) input.value = value;
	const problem = h("p", { class: "problem", id: `${id}-problem`, hidden: true });
	let left = false;
	const validate = () => {
		const text = input.value.trim() === "" ? (required ? "Please fill this in." : "") : (check?.(input.value.trim()) ?? "");
		problem.textContent = text;
		problem.hidden = text === "";
		if (text) input.setAttribute("aria-invalid", "true");
		else input.removeAttribute("aria-invalid");
		return text === "";
	};
	input.addEventListener("blur", (event) => {
		// Not when a button is pressed: the message would move the button away before the click.
		const next = /** @type {FocusEvent} */ (event).relatedTarget;
		if (next instanceof Element && next.matches("input, textarea, select")) { left = true; validate(); }
	});
	input.addEventListener("input", () => { if (left) validate(); read(); oninput?.(input.value); });
	/** Says how a comma is read: elsewhere it may stand between thousands. */
	const read = () => {
		const comma = inputMode === "decimal" && /^[-+]?\d+,\d+$/.test(input.value.trim());
		readAs.textContent = comma ? `Read as ${input.value.trim().replace(",", ".")}.` : "";
	};
	const readAs = h("p", { class: "hint", role: "status" });
	read();
	const element = h("div", { class: "field" }, h("label", { for: id }, label, required ? null : h("span", { class: "muted small" }, " (optional)")), input,
		h("p", { class: "hint", id: `${id}-hint`, hidden: hint === "" }, hint), inputMode === "decimal" && readAs, problem);
	return { element, input, value: () => input.value.trim(), /** Whether the value is valid; if it is not, the field shows why. */ valid: () => { left = true; return validate(); } };
}

/**
 * Whether all fields are right; moves the focus to the first that is not.
 * @param {{input: HTMLElement, valid: () => boolean}[]} fields
 */
export function allValid(fields) {
	const wrong = fields.filter((f) => !f.valid());
	for (const part of new Set(fields.flatMap((f) => partsOf(f.input)))) mark(part);
	if (wrong.length > 0) reveal(wrong[0].input);
	wrong[0]?.input.focus();
	return wrong.length === 0;
}

/** Opens the folded parts of a page that an element is in. @param {Element} element */
export function reveal(element) {
	for (const part of partsOf(element)) part.open = true;
}

/** The parts of a page that can be folded and that an element is in, from within. @param {Element} element */
function partsOf(element) {
	const parts = [];
	for (let part = element.closest("details"); part; part = part.parentElement?.closest("details") ?? null) parts.push(part);
	return parts;
}

/** The parts whose summary is kept up to date. @type {WeakSet<HTMLDetailsElement>} */
const watched = new WeakSet();

/** Says in the summary of a part how much in it is not right, because it may be folded: only the first wrong field is shown. @param {HTMLDetailsElement} part */
function mark(part) {
	const summary = part.querySelector(":scope > summary"), wrong = part.querySelectorAll(".problem:not([hidden])").length;
	summary?.querySelector(".badge.bad")?.remove();
	if (wrong > 0) summary?.append(h("span", { class: "badge bad" }, wrong === 1 ? "1 thing to correct" : `${wrong} things to correct`));
	if (watched.has(part)) return;
	watched.add(part);
	for (const event of ["input", "change"]) part.addEventListener(event, () => mark(part));
}
