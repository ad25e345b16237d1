// The mark of a quiz: its percentage, and the group that it belongs to in words.
import { h } from "../dom.js";
import { number } from "../format.js";

/** @type {Record<string, [text: string, badge: string]>} */
const groups = { needs_review: ["Needs review", "warn"], on_track: ["On track", "accent"], mastered: ["Mastered", "good"] };

/** @param {string} group */
export const groupText = (group) => groups[group]?.[0] ?? group;

/** @param {{percentage: number, group: string}} result */
export const mark = ({ percentage, group }) => h("span", { class: "row mark" },
	h("strong", { class: "number" }, `${number(percentage)} %`), h("span", { class: `badge ${groups[group]?.[1] ?? ""}` }, groupText(group)));
