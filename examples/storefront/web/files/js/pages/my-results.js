// All attempts of the student at quizzes.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { ago, count, number } from "../format.js";
import { figures } from "../components/figures.js";
import { learningHead } from "../components/learning-head.js";
import { passedBadge } from "../components/mark.js";
import { pathTo } from "../paths.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/quiz/my-results">["results"][number]} Result */

export const title = "Quiz results";

export const page = () => [
	...learningHead("Quiz results", "Every attempt, the newest first."),
	load(() => call("GET /api/quiz/my-results"), ({ results }) => (results.length === 0 ? nothing() : [summary(results), list(results)])),
];

const nothing = () => empty("No quiz taken yet", "Some chapters end with a quiz. The content of a course shows which.", h("a", { class: "button primary", href: "/learn" }, "Open my courses"));

/** @param {Result[]} results */
function summary(results) {
	const average = results.reduce((sum, result) => sum + result.percentage, 0) / results.length;
	return figures([
		{ label: "Attempts", value: number(results.length) },
		{ label: "Average", value: `${number(Math.round(average))} %` },
		{ label: "Best", value: `${number(Math.max(...results.map((r) => r.percentage)))} %` },
	]);
}

/** @param {Result[]} results */
const list = (results) => h("section", {},
	h("div", { class: "section-head" }, h("h2", {}, "Attempts"), h("p", { class: "muted small" }, count(results.length, "attempt"))),
	h("ul", { class: "card list" }, results.map((result) => h("li", { class: "row spread" },
		h("div", { class: "attempt" }, h("h3", {}, h("a", { href: pathTo.quiz(result.courseId, result.chapterId) }, h("bdi", {}, result.chapterTitle))), h("p", { class: "muted small" }, h("bdi", {}, result.courseTitle), "\u00a0· ", h("time", { dateTime: result.createdAt }, ago(result.createdAt)))),
		score(result)))));

/** passed is null for a quiz that nobody wrote by hand: then no words about the percentage. @param {Result} result */
const score = ({ percentage, passed }) => h("span", { class: "row mark" }, h("strong", { class: "number" }, `${number(percentage)} %`), passed !== null && passedBadge(passed));
