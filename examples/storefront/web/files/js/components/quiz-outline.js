// What a student sees of a quiz without beginning an attempt: its rules, and earlier attempts at it.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { ago, count, number } from "../format.js";
import { pathTo } from "../paths.js";
import { passedBadge } from "./mark.js";
import { pagedList } from "./paged-list.js";

/** @typedef {import("../types").Answer<"GET /api/quiz/attempts">} Outline */
/** @typedef {Outline["attempts"][number]} Listed */
/** @typedef {{courseId: string, chapterId: string}} Path */

/** Attempts that are read at a time. */
const pageRows = 20;

/** The outline of a quiz with a page of the attempts at it. @param {Path} path @param {string} [cursor] without it the first page */
export const readOutline = (path, cursor) => call("GET /api/quiz/attempts", { query: { ...path, limit: pageRows, cursor } });

/** The attempt that is open, if there is one: it is the first. @param {Outline} outline */
export const openAttempt = ({ attempts }) => attempts.find(({ submittedAt }) => submittedAt === null);

/** What the next attempt will be, in sentences. @param {NonNullable<Outline["quiz"]>} quiz @param {number | null} left how many attempts there are yet */
export const rules = ({ questions, points, minutes, passPercent, review }, left) => h("ul", {}, [
	`It has ${count(questions, "question")}${points ? ` with ${count(points, "point")}` : ""}.`,
	minutes ? `You have ${count(minutes, "minute")}. The time goes on while you are away.` : "There is no time limit.",
	left === null ? "You can take it as often as you like." : left === 0 ? "You have no attempts left." : `You have ${count(left, "attempt")} left.`,
	`You pass with ${number(passPercent)} % or more.`,
	{ always: "The right answers are shown after each attempt.", passed: "The right answers are shown after an attempt that you pass.", never: "The right answers are not shown." }[review],
].map((rule) => h("li", {}, rule)));

/** The address of an attempt that has a result. @param {Path} path @param {string} attemptId */
export const attemptPath = ({ courseId, chapterId }, attemptId) => `${pathTo.quiz(courseId, chapterId)}?attempt=${encodeURIComponent(attemptId)}`;

/** Shows the attempts that have a result, the newest first. @param {HTMLElement} region @param {Path} path @param {Outline} [first] the first page; without it, it is read */
export function showMarked(region, path, first) {
	const marked = (/** @type {Outline} */ { attempts, nextCursor }) => ({ rows: attempts.filter(({ submittedAt }) => submittedAt !== null), nextCursor });
	fill(region, load(async () => marked(first ?? await readOutline(path)), (page) => (page.rows.length > 0 || page.nextCursor) && h("section", {},
		h("div", { class: "section-head" }, h("h2", {}, "Your attempts")),
		pagedList({ list: "card list", nothing: () => h("span"), row: (attempt) => row(path, attempt),
			read: async (cursor) => (cursor ? marked(await readOutline(path, cursor)) : page) }))));
}

/** @param {Path} path @param {Listed} attempt */
function row(path, { _id, startedAt, submittedAt, score = 0, total = 0, percentage = 0, passed = false }) {
	const at = submittedAt ?? "";
	return h("li", { class: "row spread" }, h("time", { class: "muted small", dateTime: at }, ago(at)),
		h("span", { class: "row mark" }, h("strong", { class: "number" }, `${number(percentage)} %`), h("span", { class: "muted small number" }, `${number(score)} of ${count(total, "point")}`),
			passedBadge(passed)),
		startedAt && h("a", { class: "small", href: attemptPath(path, _id), "aria-label": `Details of the attempt, ${ago(at)}` }, "Details"));
}
