// The quiz of a chapter on the page of a student: the attempts of the student with their answers, and more attempts at a
// quiz that has a limit of them.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { ago, count, number, time } from "../format.js";
import { field } from "../components/field.js";
import { form } from "../components/form.js";
import { passedBadge } from "../components/mark.js";
import { pagedList } from "../components/paged-list.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";
import { whole } from "./teach-quiz-draft.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}/students/{userId}">} Answer */
/** @typedef {{courseId: string, chapterId: string, student: Answer["student"], quiz: NonNullable<Answer["chapters"][number]["quiz"]>}} Of */

const pageSize = 100, mostExtra = 10;

/** @param {Of} of */
export const quizOfStudent = (of) => [of.quiz.attempts > 0 && attemptsOf(of), moreAttempts(of)];

/** The attempts, which are read when the part is opened. @param {Of} of */
function attemptsOf(of) {
	const region = h("div");
	const part = h("details", { ontoggle: () => { if (part.open && !region.hasChildNodes()) fill(region, attemptList(of)); } }, h("summary", {}, count(of.quiz.attempts, "attempt")), region);
	return part;
}

/** The results of the quiz are those of all students: it is read on until all of this student are found. @param {Of} of */
function attemptList({ courseId, chapterId, student, quiz }) {
	let found = 0;
	return pagedList({
		list: "plain-list stack tight",
		read: async (cursor) => {
			const { results, nextCursor = null } = await call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}/results", { path: { courseId, chapterId }, query: { limit: pageSize, cursor } });
			const rows = results.filter(({ studentId }) => studentId === student._id);
			found = (cursor === undefined ? 0 : found) + rows.length;
			return { rows, nextCursor: found >= quiz.attempts ? null : nextCursor };
		},
		row: ({ _id, createdAt, startedAt, percentage, passed }) => h("li", { class: "row spread" },
			startedAt === null ? h("time", { class: "small", dateTime: createdAt }, time(createdAt)) : h("a", { class: "small", href: pathTo.attempt(_id), "aria-label": `Answers, ${time(createdAt)}` }, h("time", { dateTime: createdAt, title: ago(createdAt) }, time(createdAt))),
			h("span", { class: "row" }, h("strong", { class: "number" }, `${number(percentage)} %`), passedBadge(passed))),
		nothing: () => empty("No attempts found", "Reload the page to look again."),
	});
}

/** @param {Of} of */
const moreAttempts = (of) => load(() => limitOf(of), (limit) => limit > 0 && extraForm(of, limit), { placeholder: h("span") });

/** How many attempts the quiz allows; 0 if it has no limit, or if the chapter has no quiz any more. @param {Of} of */
async function limitOf({ courseId, chapterId }) {
	try {
		return (await call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}", { path: { courseId, chapterId } })).quiz.settings.attempts ?? 0;
	} catch (error) {
		if (error instanceof ApiError && error.status === 404) return 0;
		throw error;
	}
}

/** @param {Of} of @param {number} limit */
function extraForm({ courseId, chapterId, student, quiz }, limit) {
	const state = h("p", { class: "small" }), name = h("bdi", {}, student.name);
	const draw = (/** @type {number} */ extra) => fill(state, `The quiz allows ${count(limit, "attempt")}. `, name, extra === 0 ? " has no more than these." : ` has ${number(extra)} more.`);
	const attempts = field(`Attempts beyond the ${number(limit)} of the quiz`, { name: "extra-attempts", value: String(quiz.extraAttempts), required: true, inputMode: "numeric", autocomplete: "off", hint: `From 0 to ${mostExtra}. 0 takes back what is not used.`, check: whole(0, mostExtra) });
	const submit = async () => {
		const extra = Number(attempts.value());
		await call("PUT /api/educator/courses/{courseId}/quizzes/{chapterId}/extra", { path: { courseId, chapterId }, body: { studentId: student._id, attempts: extra } });
		draw(extra);
		toast(`The student has ${count(limit + extra, "attempt")} at this quiz now.`);
	};
	draw(quiz.extraAttempts);
	return h("details", {}, h("summary", {}, "More attempts"), h("div", { class: "stack" }, state, form([attempts], { action: "Save the attempts", submit })));
}
