// What is graded in an assignment, and the points that were given.
import { h } from "../dom.js";
import { number } from "../format.js";

/** @typedef {{criterion: string, points: number}} Criterion */

/** @param {Criterion[]} rubric */
export const totalOf = (rubric) => rubric.reduce((sum, { points }) => sum + points, 0);

/** @param {Criterion[]} rubric @param {number[]} [given] points for each criterion */
export function rubricTable(rubric, given = []) {
	if (rubric.length === 0) return null;
	const isGraded = given.length === rubric.length, sum = given.reduce((all, n) => all + n, 0);
	const points = (/** @type {number} */ most, /** @type {number} */ got) => h("td", { class: "number" }, isGraded ? `${number(got)} of ${number(most)}` : number(most));
	return h("div", { class: "table-scroll" }, h("table", {}, h("caption", { class: "visually-hidden" }, "What is graded"),
		h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "What is graded"), h("th", { scope: "col", class: "number" }, "Points"))),
		h("tbody", {}, rubric.map(({ criterion, points: most }, i) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, criterion)), points(most, given[i]))),
			h("tr", {}, h("th", { scope: "row" }, h("strong", {}, "Together")), points(totalOf(rubric), sum)))));
}
