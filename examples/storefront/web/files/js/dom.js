// Makes elements (h, svg) and regions that wait for data (load).

/** @typedef {Node | string | number | false | null | undefined} Child */

/**
 * Makes an element. A prop that begins with "on" is a listener, "class", "for", "aria-…", "data-…"
 * and names that the element does not have as a property are attributes, the rest are properties.
 * A prop that is null, undefined or false is left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(props)) set(element, name, value);
	element.append(...nodes(children));
	return element;
}

/** @param {HTMLElement} element @param {string} name @param {any} value */
function set(element, name, value) {
	if (value === null || value === undefined || value === false) return;
	if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
	else if (name === "style") Object.assign(element.style, value);
	else if (name in element && !name.includes("-") && name !== "list" && name !== "form") /** @type {any} */ (element)[name] = value;
	else element.setAttribute(name === "className" ? "class" : name, value === true ? "" : String(value));
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function nodes(children) {
	return children.flat().filter((c) => c !== null && c !== undefined && c !== false && c !== "").map((c) => (typeof c === "number" ? String(c) : /** @type {Node | string} */ (c)));
}

/** A listener that passes on the value of its input or select. @param {(value: string) => void} use */
export const onValue = (use) => (/** @type {Event} */ event) => use(/** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value);

/**
 * Puts children in place of all that an element contains.
 * @template {Element} E
 * @param {E} element
 * @param {...(Child | Child[])} children
 * @returns {E}
 */
export function fill(element, ...children) {
	element.replaceChildren(...nodes(children));
	return element;
}

/**
 * Makes an SVG element; all props are attributes.
 * @param {string} tag
 * @param {Record<string, string | number>} [props]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, props = {}, ...children) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(props)) element.setAttribute(name, String(value));
	element.append(...nodes(children));
	return element;
}

/**
 * Returns a region that shows a placeholder until the data has arrived, and then what show makes
 * of it; if the data does not arrive, it says why and offers to try again.
 * @template T
 * @param {() => Promise<T>} read
 * @param {(data: T, reload: () => void) => Child | Child[]} show
 * @param {{placeholder?: Node}} [options]
 * @returns {HTMLElement}
 */
export function load(read, show, { placeholder } = {}) {
	const region = h("div", { class: "region" });
	let turn = 0;
	const run = async () => {
		const mine = ++turn;
		region.setAttribute("aria-busy", "true");
		fill(region, placeholder ? placeholder.cloneNode(true) : waiting());
		try {
			const made = show(await read(), run);
			if (mine === turn) fill(region, made);
		} catch (error) {
			if (/** @type {Error} */ (error).name === "AbortError") return; // the reader has left the page
			const { failed } = await import("./components/states.js"); // which imports this module
			if (mine === turn) fill(region, failed(error, run));
		} finally {
			if (mine === turn) region.removeAttribute("aria-busy");
		}
	};
	run();
	return region;
}

/** What a region shows while it waits: grey lines, and a text for screen readers. */
export function waiting(lines = 3) {
	const bars = Array.from({ length: lines }, (_, i) => h("div", { class: "skeleton", style: { height: "1.25rem", width: `${100 - 15 * (i % 3)}%` } }));
	return h("div", { class: "stack", role: "status" }, h("span", { class: "visually-hidden" }, "Loading…"), bars);
}
