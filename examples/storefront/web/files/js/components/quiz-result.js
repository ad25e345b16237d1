// The result of a quiz, and earlier attempts at it.
import { h } from "../dom.js";
import { ago, number } from "../format.js";
import { groupText, mark } from "./mark.js";

/** @typedef {{score: number, total: number, percentage: number, group: string, recommendations: string}} Result */

/** What a student does next, by group. @type {Record<string, string>} */
const advice = {
	needs_review: "Go through the chapter once more, then try again.",
	on_track: "You know most of it. A look at what you missed is enough.",
	mastered: "You know this chapter.",
};

/** @param {Result} result @param {...Node} actions */
export const quizResult = (result, ...actions) => h("section", { class: "card pad stack" },
	h("h2", { id: "result", tabIndex: -1 }, "Your result"),
	h("p", {}, h("span", { class: "quiz-mark" }, `${number(result.percentage)} %`), " ", h("span", { class: "muted" }, `${result.score} of ${result.total} right`)),
	h("p", {}, `${groupText(result.group)}: `, advice[result.group]),
	h("h3", {}, "What to do next"), recommendations(result),
	h("div", { class: "row" }, actions));

/** The recommendations come as lines that begin with "• ". @param {{recommendations: string}} result */
const recommendations = (result) => h("ul", { class: "recommendations" }, lines(result.recommendations).map((line) => h("li", {}, h("bdi", {}, line))));

/** @param {string} text */
const lines = (text) => text.split("\n").map((line) => line.replace(/^•\s*/, "").trim()).filter(Boolean);

/** @param {(Result & {_id: string, createdAt: string})[]} results */
export const attempts = (results) => results.length > 0 && h("section", {},
	h("div", { class: "section-head" }, h("h2", {}, "Your attempts")),
	h("ul", { class: "card list" }, results.map((result) => h("li", { class: "stack tight" },
		h("div", { class: "row spread" }, h("time", { class: "muted small", dateTime: result.createdAt }, ago(result.createdAt)), mark(result)),
		h("details", { class: "small" }, h("summary", { "aria-label": `Recommendations, ${ago(result.createdAt)}` }, "Recommendations"), recommendations(result))))));
