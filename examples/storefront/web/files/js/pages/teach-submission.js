// One submission: the work of the student, and the form in which it is graded or returned. If another person
// has decided meanwhile, what was typed stays, and their decision is shown.
import { fill, h } from "../dom.js";
import { ApiError, call } from "../api.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { number, time } from "../format.js";
import { assignmentText, statuses } from "../components/assignment.js";
import { avatar } from "../components/card.js";
import { busy } from "../components/button.js";
import { keepDraft } from "../components/draft.js";
import { allValid, field } from "../components/field.js";
import { fileList, filesField } from "../components/files-field.js";
import { limited } from "../components/limited.js";
import { problemNotice } from "../components/problem.js";
import { totalOf } from "../components/rubric.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { toast } from "../components/toast.js";
import { uploadFile } from "../upload.js";
import { part } from "./course-form.js";
import { whole } from "./teach-quiz-draft.js";

/** @typedef {import("../types").Answer<"GET /api/educator/submissions/{submissionId}">["submission"]} Submission */

let heading = "Submission";
export const title = () => heading;
const mostFiles = 10;

/** @param {string} submissionId */
const read = async (submissionId) => (await call("GET /api/educator/submissions/{submissionId}", { path: { submissionId } })).submission;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { submissionId }, query, signal }) {
	const submission = await read(submissionId), { student, courseId, lectureId } = submission;
	const back = pathTo.submissions(session.role() === "admin" ? courseId : query.get("courseId") ?? "");
	const { course } = await call("GET /api/educator/courses/{courseId}", { path: { courseId } });
	const lecture = course.courseContent.flatMap(({ chapterContent }) => chapterContent).find((each) => each.lectureId === lectureId);
	const name = lecture?.lectureTitle ?? "A lecture that was removed", head = session.role() === "admin" ? adminHead : teachHead;
	heading = `${student.name}: ${name}`;
	return [...head(h("bdi", {}, name), `Of the course “${course.courseTitle}”.`), h("div", { class: "stack loose course-form" },
		h("div", { class: "row" }, h("a", { class: "button", href: back }, "All submissions")),
		lecture?.assignment && h("details", { class: "card pad" }, h("summary", {}, "What was asked"), h("div", { class: "stack" }, assignmentText({ ...lecture.assignment, rubric: [] }))),
		work(submission), grading(submission, back, signal))];
}

/** @param {Submission} submission */
function work({ student, courseId, number: n, submittedAt, isLate, text, files }) {
	return h("section", { class: "card pad stack" }, h("div", { class: "row spread" }, h("h2", { class: "person" }, avatar(student), h("a", { href: pathTo.student(courseId, student._id) }, h("bdi", {}, student.name))), isLate && h("span", { class: "badge warn" }, "Late")),
		h("p", { class: "muted small" }, `Attempt ${number(n)}, submitted ${time(submittedAt)}`),
		text ? h("p", { class: "preserve measure", dir: "auto" }, text) : h("p", { class: "muted" }, "There is no text."), fileList("Files", files));
}

/** @param {Submission} submission @param {string} back the list of submissions @param {AbortSignal} signal */
function grading(submission, back, signal) {
	let { version } = submission;
	const { _id, rubric } = submission, files = [...submission.feedbackFiles], problem = problemNotice(), told = h("div"), sum = h("p", { role: "status" });
	const points = rubric.map(({ criterion, points: most }, i) => field(`${criterion} (0 to ${number(most)})`, { name: `points-${i}`, value: String(submission.points[i] ?? ""), required: true, inputMode: "numeric", autocomplete: "off", check: whole(0, most), oninput: () => add() }));
	const feedback = limited("Feedback", { name: "feedback", rows: 8, max: 20_000, value: submission.feedback, hint: "The student reads it." });
	const attach = filesField("Files of the feedback", { files, most: mostFiles, signal, upload: uploadFile, onchange: () => {} });
	const add = () => { sum.textContent = rubric.length === 0 ? "This assignment has no points." : `Together ${number(points.reduce((all, point) => all + (Number(point.value()) || 0), 0))} of ${number(totalOf(rubric))} points.`; };
	add();
	const keep = () => keepDraft(`grade.${_id}.${version}`, [feedback, ...points]);
	let forget = keep();
	const send = async (/** @type {"graded" | "returned"} */ status) => {
		problem.hide();
		// Work that is returned needs no points, but those that are there must be right.
		const isGraded = points.some((point) => point.value() !== "") || status === "graded";
		if (!allValid([...(isGraded ? points : []), feedback]) || !attach.valid()) return;
		if (status === "returned" && feedback.value() === "" && files.length === 0) {
			problem.show("Write in the feedback what the student is to change.");
			feedback.input.focus();
			return;
		}
		try {
			await call("PUT /api/educator/submissions/{submissionId}/grade", { path: { submissionId: _id }, body: { version, status, points: isGraded ? points.map((point) => Number(point.value())) : [], feedback: feedback.value(), fileIds: files.map(({ fileId }) => fileId) } });
			forget();
			await go(back);
			toast(status === "graded" ? "The grade is saved, and the student sees it." : "The work is returned, and the student sees why.");
		} catch (error) {
			if (!(error instanceof ApiError) || error.status !== 409) { problem.show(error); return; }
			const newest = await read(_id);
			version = newest.version;
			forget = keep(); // what was typed belongs to the newest version from now on
			feedback.input.dispatchEvent(new Event("input"));
			fill(told, changedNotice(newest));
			/** @type {HTMLElement} */ (told.firstElementChild).focus();
		}
	};
	const button = (/** @type {"graded" | "returned"} */ status, /** @type {string} */ text, /** @type {string} */ kind) => {
		const made = h("button", { class: `button ${kind}`, type: "button", onclick: (/** @type {MouseEvent} */ event) => { if (event.detail <= 1) busy(made, () => send(status)).catch(problem.show); } }, text);
		return made;
	};
	const [word, badge] = statuses[submission.status];
	return part("Grade", h("p", { class: "row" }, h("span", { class: `badge ${badge}` }, word), submission.gradedAt && h("span", { class: "muted small" }, time(submission.gradedAt))), told,
		h("div", { class: "price-fields" }, points.map(({ element }) => element)), sum, feedback.element, attach.element, problem.element,
		h("div", { class: "row" }, button("graded", "Save the grade", "primary"), button("returned", "Return for another attempt", "")));
}

/** @param {Submission} newest */
function changedNotice({ status, points, rubric, feedback }) {
	const what = status === "graded" ? `graded it${points.length > 0 ? ` with ${number(points.reduce((all, n) => all + n, 0))} of ${number(totalOf(rubric))} points` : ""}` : "returned it";
	return h("div", { class: "notice warn stack tight", role: "alert", tabIndex: -1 }, h("p", {}, `Another person has decided meanwhile, and ${what}. Nothing of yours is saved yet, and what you typed is still here. Save again to put yours in its place, or leave the page to keep theirs.`),
		feedback && h("blockquote", { class: "preserve", dir: "auto" }, feedback));
}
