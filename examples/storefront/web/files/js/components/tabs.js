// Tabs: one of several panels is shown; arrow keys move between the tabs (WAI-ARIA APG).
import { fill, h } from "../dom.js";

let made = 0;

/**
 * @param {string} label of the row of tabs
 * @param {{name: string, text: string, show: () => any}[]} tabs show returns what the panel holds
 * @param {{chosen?: string, onchange?: (name: string) => void}} [options]
 */
export function tabs(label, tabs, { chosen = tabs[0].name, onchange } = {}) {
	const id = `tabs-${++made}`;
	const panel = h("div", { role: "tabpanel", id: `${id}-panel`, tabIndex: 0, class: "tab-panel" });
	const buttons = tabs.map((tab) => h("button", { role: "tab", type: "button", id: `${id}-${tab.name}`, "aria-controls": `${id}-panel`, onclick: () => choose(tab.name) }, tab.text));
	/** @param {string} name */
	function choose(name) {
		const i = Math.max(0, tabs.findIndex((tab) => tab.name === name));
		buttons.forEach((button, j) => { button.setAttribute("aria-selected", String(i === j)); button.tabIndex = i === j ? 0 : -1; });
		panel.setAttribute("aria-labelledby", buttons[i].id);
		fill(panel, tabs[i].show());
		onchange?.(tabs[i].name);
	}
	const row = h("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: (/** @type {KeyboardEvent} */ event) => {
		const at = buttons.findIndex((b) => b === document.activeElement);
		const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
		if (at < 0 || next === undefined) return;
		event.preventDefault();
		const button = buttons[(next + buttons.length) % buttons.length];
		button.focus();
		button.click();
	} }, buttons);
	choose(chosen);
	return h("div", { class: "stack" }, row, panel);
}
