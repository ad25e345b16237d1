// How students do in the quizzes of the educator's courses, and the quizzes themselves.
import { fill, h, load, onValue, svg } from "../dom.js";
import { call } from "../api.js";
import { count, number } from "../format.js";
import { figures } from "../components/figures.js";
import { groupText } from "../components/mark.js";
import { teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { quizTools } from "./teach-insights-quiz.js";

/** @typedef {import("../types").Answer<"GET /api/quiz/educator-insights">["insights"][number]} Insight */
/** @typedef {import("../types").Answer<"GET /api/educator/courses">["courses"][number]} OwnCourse */

export const title = "Quiz insights";

/** The groups of results: the field of the answer, its text, and which results belong to it. @type {["needs_review" | "on_track" | "mastered", string, string][]} */
const groups = [
	["needs_review", groupText("needs_review"), "up to 40 %"],
	["on_track", groupText("on_track"), "up to 75 %"],
	["mastered", groupText("mastered"), "above 75 %"],
];

/** @param {import("../router.js").Visit} visit */
export function page({ signal }) {
	return [...teachHead("Quiz insights", "How students do in your quizzes, and the questions that they get."), patterns(),
		load(() => call("GET /api/quiz/educator-insights", { signal }), ({ insights }) => overview(insights)),
		h("section", { class: "quiz-courses" }, h("div", { class: "section-head" }, h("h2", {}, "All quizzes of a course")),
			load(() => call("GET /api/educator/courses", { signal }), ({ courses }) => ofCourse(courses.filter((course) => course.isPublished))))];
}

/** @param {Insight[]} insights */
function overview(insights) {
	if (insights.length === 0) return empty("No results yet", "When students have answered a quiz, you see here how they did.");
	const attempts = insights.reduce((sum, each) => sum + each.attempts, 0);
	const average = insights.reduce((sum, each) => sum + each.avgPct * each.attempts, 0) / attempts;
	const review = insights.reduce((sum, each) => sum + each.needs_review, 0);
	return [
		figures([{ label: "Attempts", value: number(attempts) }, { label: "Average result", value: `${Math.round(average)} %` }, { label: "Need review", value: number(review), note: "results of at most 40 %" }]),
		h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "Results by quiz")), h("ul", { class: "plain-list stack" }, insights.map((each) => h("li", {}, card(each))))),
	];
}

/** @param {Insight} insight */
function card(insight) {
	return h("article", { class: "card pad stack" },
		h("div", { class: "row spread" }, h("div", {}, h("h3", {}, h("bdi", {}, insight.chapterTitle)), h("p", { class: "muted small" }, h("bdi", {}, insight.courseTitle))),
			h("p", { class: "number" }, `${count(insight.attempts, "attempt")}, on average `, h("strong", {}, `${number(insight.avgPct)} %`))),
		stacked(insight), quizTools(insight));
}

/** The groups as parts of one bar, with a legend in words and a table. @param {Insight} insight */
function stacked(insight) {
	let start = 0;
	const parts = groups.map(([name]) => {
		const width = (100 * insight[name]) / insight.attempts;
		const part = svg("rect", { x: `${start}%`, width: `${width}%`, height: 20, class: "group-part", fill: `url(#group-${name})` });
		start += width;
		return part;
	});
	const words = groups.map(([name, text]) => `${text}: ${insight[name]}`).join(", ");
	return h("figure", { class: "plot" },
		h("div", { role: "img", "aria-label": `Results by group. ${words}.` }, svg("svg", { width: "100%", height: 20 }, ...parts)),
		h("figcaption", {}, h("ul", { class: "row plain-list small" }, groups.map(([name, text]) => h("li", { class: "row group-name" }, svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, svg("rect", { width: 14, height: 14, fill: `url(#group-${name})` })), `${text}: ${number(insight[name])}`)))),
		h("details", {}, h("summary", {}, "Show the table"), table(insight)));
}

/** @param {Insight} insight */
const table = (insight) => h("div", { class: "table-scroll" }, h("table", {}, h("caption", { class: "visually-hidden" }, `Results on ${insight.chapterTitle}`),
	h("thead", {}, h("tr", {}, ["Group", "Results", "Attempts"].map((text, i) => h("th", { scope: "col", class: i === 2 ? "number" : "" }, text)))),
	h("tbody", {}, groups.map(([name, text, bounds]) => h("tr", {}, h("th", { scope: "row" }, text), h("td", {}, bounds), h("td", { class: "number" }, number(insight[name])))))));

/** The fillings of the groups: they differ by their lines, not by colour alone. */
function patterns() {
	const pattern = (/** @type {string} */ name, /** @type {SVGElement[]} */ ...lines) => svg("pattern", { id: `group-${name}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("rect", { width: 6, height: 6, class: `group-${name}` }), ...lines);
	const line = (/** @type {object} */ size) => svg("rect", { class: "group-line", ...size });
	return svg("svg", { class: "visually-hidden", width: 1, height: 1, "aria-hidden": "true" }, svg("defs", {},
		pattern("needs_review", line({ width: 6, height: 1.5 }), line({ width: 1.5, height: 6 })), pattern("on_track", line({ width: 2, height: 6 })), pattern("mastered")));
}

/** The chapters of one course, also of those whose quiz was not answered yet. @param {OwnCourse[]} courses */
function ofCourse(courses) {
	if (courses.length === 0) return h("p", { class: "muted" }, "Publish a course; each of its chapters gets a quiz.");
	const region = h("div", {});
	const choose = (/** @type {string} */ id) => fill(region, load(() => call("GET /api/course/{id}", { path: { id } }), ({ courseData }) => h("ul", { class: "card list" }, courseData.courseContent.map(({ chapterId, chapterTitle }) =>
		h("li", { class: "stack" }, h("h3", {}, h("bdi", {}, chapterTitle)), quizTools({ courseId: id, chapterId, chapterTitle }))))));
	choose(courses[0]._id);
	return h("div", { class: "stack" }, h("label", { class: "field course-choice" }, h("span", { class: "field-name" }, "Course"),
		h("select", { class: "input", onchange: onValue(choose) }, courses.map((course) => h("option", { value: course._id }, course.courseTitle)))), region);
}
