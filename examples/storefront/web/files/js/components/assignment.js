// An assignment as a student works on it: what is asked, the draft, which is saved as it is written, and what
// was submitted, with its grades.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { ago, count, number, time } from "../format.js";
import { uploadOwnFile } from "../upload.js";
import { autosave } from "./autosave.js";
import { actionWithProblem } from "./problem.js";
import { ask } from "./dialog.js";
import { keepDraft } from "./draft.js";
import { fileList, filesField } from "./files-field.js";
import { limited } from "./limited.js";
import { markdown } from "./markdown.js";
import { rubricTable } from "./rubric.js";
import { toast } from "./toast.js";

/** @typedef {import("../types").Answer<"GET /api/user/assignments/{courseId}/{lectureId}">} Work */
/** @typedef {Work["submissions"][number]} Submission */
/** @typedef {{courseId: string, lectureId: string}} Place */

/** mostKept is the length of a text up to which a browser sends it while the page is closed: it takes 64 KB then. */
const mostFiles = 10, longest = 50_000, mostKept = 15_000;

/** What is asked. @param {{instructions: string, rubric: import("./rubric.js").Criterion[]}} assignment */
export const assignmentText = ({ instructions, rubric }) => h("div", { class: "stack" }, instructions && markdown(instructions), rubricTable(rubric));

/** The work of a student. @param {Place} place @param {AbortSignal} signal */
export const assignmentWork = (place, signal) => load(() => call("GET /api/user/assignments/{courseId}/{lectureId}", { path: place }), (work, reload) => h("div", { class: "stack loose" },
	work.assignment && terms(work.assignment), workPart(place, work, signal, reload), submissionList(work.submissions)));

/** Until when, and how often. @param {NonNullable<Work["assignment"]>} assignment */
function terms({ dueAt, closesAt, attemptsLeft }) {
	const isLate = dueAt !== null && new Date(dueAt) < new Date();
	return h("ul", { class: "plain-list stack tight assignment-terms" },
		dueAt && h("li", {}, isLate ? h("span", { class: "badge warn" }, "Late") : h("span", { class: "badge" }, "Due"), ` ${time(dueAt)}, ${ago(dueAt)}`),
		closesAt && closesAt !== dueAt && h("li", {}, `Late work is taken until ${time(closesAt)}.`),
		attemptsLeft !== null && h("li", {}, attemptsLeft === 0 ? "You have no attempts left." : `You have ${count(attemptsLeft, "attempt")} left.`));
}

/** The form, or why there is none. @param {Place} place @param {Work} work @param {AbortSignal} signal @param {() => void} reload */
function workPart(place, work, signal, reload) {
	const { assignment, submissions } = work, last = submissions.at(-1);
	const says = (/** @type {string} */ text) => [h("p", { class: "notice" }, text), draftPart(work.draft)];
	if (!assignment) return says("This assignment is not open to you any more. What you submitted stays below.");
	if (last?.status === "submitted") return h("p", { class: "notice" }, `You submitted this ${ago(last.submittedAt)}. It waits for its grade; after that you see it here.`);
	if (assignment.closesAt && new Date(assignment.closesAt) < new Date()) return says("The time of this assignment is over.");
	if (assignment.attemptsLeft === 0) return submissions.length > 0 ? draftPart(work.draft) : says("No attempt is left.");
	const form = () => workForm(place, work, signal, reload);
	if (last?.status !== "graded") return form();
	const box = h("div");
	return fill(box, h("p", { class: "notice good row spread" }, h("span", {}, "This is graded."), h("button", { class: "button small", type: "button", onclick: () => { fill(box, form()); box.querySelector("textarea")?.focus(); } }, "Submit it once more")));
}

/** A draft that cannot be submitted any more. @param {Work["draft"]} draft */
const draftPart = ({ text, files }) => (text !== "" || files.length > 0) && h("details", {}, h("summary", { class: "small" }, "Your draft, which you did not submit"), h("div", { class: "stack" }, text && h("p", { class: "preserve", dir: "auto" }, text), fileList("Your files", files)));

/** @param {Place} place @param {Work} work @param {AbortSignal} signal @param {() => void} reload */
function workForm(place, { assignment, draft, submissions }, signal, reload) {
	const last = submissions.at(-1), files = [...draft.files], state = h("p", { class: "muted small", role: "status" });
	const text = limited("Your work", { name: "work", rows: 12, max: longest, value: draft.text, required: !assignment?.files });
	const saver = autosave((isLeaving) => call("PUT /api/user/assignments/{courseId}/{lectureId}", { path: place, body: { text: text.input.value, fileIds: files.map(({ fileId }) => fileId) }, keepalive: isLeaving && text.input.value.length < mostKept }).then(forget), { signal, say: (words, isProblem) => {
		state.textContent = words;
		state.classList.toggle("problem", isProblem);
	} });
	text.input.addEventListener("input", saver.changed);
	// Kept in this tab until the server has it. What is restored is saved by the event that this sends.
	const forgetDraft = keepDraft(`work.${place.courseId}.${place.lectureId}`, [text]);
	function forget() { forgetDraft(); }
	// If no files are wanted any more, those that the draft has may stay.
	const attach = assignment?.files || files.length > 0 ? filesField("Your files", { files, most: assignment?.files ? mostFiles : 0, signal, upload: uploadOwnFile, onchange: saver.changed }) : null;
	const again = last && draft.text === "" && draft.files.length === 0 && last.text !== "" && h("button", { class: "button small", type: "button", onclick: () => { text.set(last.text); text.input.dispatchEvent(new Event("input")); text.input.focus(); } }, "Begin with what I submitted");
	const submit = actionWithProblem("Submit your work", async () => {
		if (!text.valid() || attach?.valid() === false) return;
		await saver.flush();
		if (text.value() === "" && files.length === 0) throw new ApiError(400, "Write something, or add a file, before you submit.");
		const sent = await ask({ title: "Submit your work?", action: "Submit it", body: h("p", {}, "After that it cannot be changed, and waits for its grade."),
			submit: () => call("POST /api/user/assignments/{courseId}/{lectureId}/submit", { path: place }) });
		if (!sent) return;
		forget();
		toast("Your work is submitted.");
		reload();
	}, { kind: "primary" });
	return h("div", { class: "stack" }, last?.status === "returned" && h("p", { class: "notice warn" }, `Your work came back: ${last.feedback || last.feedbackFiles.length > 0 ? "read the feedback below" : "work on it once more"}, and submit it again.`), again && h("div", {}, again), text.element, attach?.element, state, h("div", { class: "row" }, submit));
}

/** @type {Record<Submission["status"], [text: string, badge: string]>} */
export const statuses = { submitted: ["Waits for a grade", "accent"], graded: ["Graded", "good"], returned: ["Returned", "warn"] };

/** @param {Submission[]} submissions */
const submissionList = (submissions) => submissions.length > 0 && h("section", { class: "stack" }, h("h2", {}, "What you submitted"), submissions.toReversed().map(submissionCard));

/** @param {Submission} submission */
function submissionCard({ number: n, submittedAt, isLate, status, text, files, rubric, points, feedback, feedbackFiles, gradedAt }) {
	const [word, badge] = statuses[status];
	return h("article", { class: "card pad stack" },
		h("div", { class: "row spread" }, h("h3", {}, `Attempt ${number(n)}`), h("span", { class: "row" }, isLate && h("span", { class: "badge warn" }, "Late"), h("span", { class: `badge ${badge}` }, word))),
		h("p", { class: "muted small" }, `Submitted ${time(submittedAt)}`, gradedAt && `, ${word.toLowerCase()} ${time(gradedAt)}`),
		points.length > 0 && rubricTable(rubric, points),
		feedback && h("blockquote", { class: "review-answer stack tight" }, h("p", { class: "small" }, h("strong", {}, "Feedback")), h("p", { class: "preserve", dir: "auto" }, feedback)), fileList("Files of the feedback", feedbackFiles),
		h("details", {}, h("summary", { class: "small" }, `Your work, attempt ${number(n)}`), h("div", { class: "stack" }, text && h("p", { class: "preserve", dir: "auto" }, text), fileList("Your files", files))));
}
