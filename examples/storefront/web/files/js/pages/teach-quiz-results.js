// How students do in the quiz of a chapter: figures, each question, and each attempt; both as CSV too.
import { h, load } from "../dom.js";
import { call, request } from "../api.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";
import { clock, count, number, time } from "../format.js";
import { actionButton } from "../components/button.js";
import { avatar } from "../components/card.js";
import { dataTable } from "../components/data-table.js";
import { figures } from "../components/figures.js";
import { pagedList } from "../components/paged-list.js";
import { saveFile } from "../components/save-file.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/quizzes/{chapterId}/results">["results"][number]} Result */
/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/quizzes/{chapterId}/questions">} Report */
/** @typedef {{courseId: string, chapterId: string}} Place */

let heading = "Results";
export const title = () => heading;
const rows = 50;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { courseId, chapterId }, query, signal, place: seen }) {
	const place = { courseId, chapterId };
	const { course } = await call("GET /api/educator/courses/{courseId}", { path: { courseId }, signal });
	const name = course.courseContent.find((chapter) => chapter.chapterId === chapterId)?.chapterTitle ?? "a chapter that was removed";
	heading = `Results: ${name}`;
	const head = session.role() === "admin" ? adminHead : teachHead;
	return [...head(["Results: ", h("bdi", {}, name)], `How students do in this quiz of “${course.courseTitle}”.`),
		h("div", { class: "stack loose" }, h("div", { class: "row" }, h("a", { class: "button", href: pathTo.editQuiz(courseId, chapterId) }, "Edit the quiz"), h("a", { class: "button", href: pathTo.edit(courseId) }, "Edit the course")),
			load(() => call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}/questions", { path: place, signal }), (report) => byQuestion(place, report, query)),
			h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "Attempts"), csvButton(place, "results", name)), attemptList(place, seen)))];
}

/** @param {Place} place @param {Report} report @param {URLSearchParams} query */
function byQuestion(place, report, query) {
	const seconds = report.averageSeconds;
	return [
		figures([
			{ label: "Attempts", value: number(report.attempts) },
			{ label: "Average result", value: percent(report.averagePercentage) },
			{ label: "Average time", value: seconds === null ? "–" : clock(seconds), note: "minutes and seconds" },
		]),
		h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "Questions"), csvButton(place, "questions", heading)),
			report.questions.length === 0 ? empty("No questions yet", "Write a quiz; what students make of its questions is shown here.") : questionTable(report, query)),
	];
}

/** @param {Report} report @param {URLSearchParams} query */
function questionTable({ questions }, query) {
	const numbered = questions.map((question, i) => ({ ...question, number: i + 1 }));
	const order = (/** @type {number | null} */ n) => n ?? -2;
	return h("div", { class: "stack" },
		h("details", { class: "small" }, h("summary", {}, "What these figures say"), h("p", { class: "measure" }, "“Right” is the share of the attempts with this question that answered it right. “Tells apart” is from −1 to 1: far above 0, those who do well in the rest of the quiz do well here too; near 0 or below it, the question may be misleading, or its answer wrong. “Time” is the average until it was answered.")),
		dataTable({
			label: "Questions", noun: ["question", "questions"], rows: numbered, query, sort: "number", text: (row) => row.question,
			columns: [
				{ name: "number", title: "Question", order: (row) => row.number, cell: (row) => h("span", {}, `${row.number}. `, h("bdi", {}, row.question)) },
				{ name: "given", title: "Attempts", number: true, down: true, order: (row) => row.given, cell: (row) => number(row.given) },
				{ name: "share", title: "Right", number: true, order: (row) => order(row.share), cell: (row) => percent(row.share === null ? null : 100 * row.share) },
				{ name: "apart", title: "Tells apart", number: true, order: (row) => order(row.discrimination), cell: (row) => (row.discrimination === null ? "–" : h("span", { class: row.discrimination < 0.1 ? "badge warn" : "" }, two(row.discrimination))) },
				{ name: "time", title: "Time", number: true, order: (row) => order(row.averageSeconds), cell: (row) => (row.averageSeconds === null ? "–" : clock(row.averageSeconds)) },
			],
		}));
}

/** @param {number | null} n */
const percent = (n) => (n === null ? "–" : `${number(Math.round(n))} %`);
/** @param {number} n */
const two = (n) => n.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** @param {Place} place @param {import("../place.js").Place} seen */
const attemptList = (place, seen) => pagedList({
	place: seen, list: "card list",
	read: async (cursor) => {
		const { results, nextCursor = null } = await call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}/results", { path: place, query: { limit: rows, cursor } });
		return { rows: results, nextCursor };
	},
	row: (result) => attemptRow(place, result),
	nothing: () => empty("No results yet", "When students have answered the quiz, you see here how they did."),
});

/** @param {Place} place @param {Result} result */
function attemptRow({ courseId }, result) {
	const name = result.studentName;
	return h("li", { class: "row spread" },
		h("span", { class: "person" }, avatar({ name, imageUrl: result.studentImage }), h("span", {}, h("a", { href: pathTo.student(courseId, result.studentId) }, h("bdi", {}, name)),
			h("span", { class: "muted small choice-text" }, h("time", { dateTime: result.createdAt }, time(result.createdAt)), result.seconds !== null && `, in ${clock(result.seconds)}`, result.startedAt !== null && [" · ", h("a", { href: pathTo.attempt(result._id), "aria-label": `Answers of ${name}, ${time(result.createdAt)}` }, "Answers")]))),
		h("span", { class: "row" }, h("strong", { class: "number" }, percent(result.percentage)), h("span", { class: "muted small" }, `${number(result.score)} of ${count(result.total, "point")}`), h("span", { class: `badge ${result.passed ? "good" : "bad"}` }, result.passed ? "Passed" : "Not passed")));
}

/** @param {Place} place @param {"results" | "questions"} what @param {string} name */
const csvButton = ({ courseId, chapterId }, what, name) => actionButton("Download as CSV", async () => {
	const path = `/api/educator/courses/${encodeURIComponent(courseId)}/quizzes/${encodeURIComponent(chapterId)}/${what}?format=csv`;
	await saveFile(await request("GET", path, { accept: "text/csv" }), `${what}-${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.csv`);
}, { kind: "small", name: `Download as CSV: ${what}` });
