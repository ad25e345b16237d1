// The mark of a quiz: its percentage, and in words whether it is passed or, if the quiz has no pass mark,
// the group that it belongs to. Only one of the two is said of a result: 60 % may be "On track" and not
// passed.
import { h } from "../dom.js";
import { number } from "../format.js";

/** @type {Record<string, [text: string, badge: string]>} */
const groups = { needs_review: ["Needs review", "warn"], on_track: ["On track", "accent"], mastered: ["Mastered", "good"] };

/** @param {string} group */
export const groupText = (group) => groups[group]?.[0] ?? group;

/** Whether an attempt is passed. @param {boolean} passed */
export const passedBadge = (passed) => h("span", { class: `badge ${passed ? "good" : "bad"}` }, passed ? "Passed" : "Not passed");

/** @param {{percentage: number, group: string}} result of a quiz without a pass mark */
export const mark = ({ percentage, group }) => h("span", { class: "row mark" },
	h("strong", { class: "number" }, `${number(percentage)} %`), h("span", { class: `badge ${groups[group]?.[1] ?? ""}` }, groupText(group)));
