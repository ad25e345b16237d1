// The quiz of a chapter as a QTI 1.2 file, which other learning platforms read and write.
import { h } from "../dom.js";
import { ApiError, request } from "../api.js";
import { count } from "../format.js";
import { actionButton, dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { saveFile } from "../components/save-file.js";

/** @typedef {{courseId: string, chapterId: string}} Place */
/** @typedef {import("../types").Answer<"PUT /api/educator/courses/{courseId}/quizzes/{chapterId}/qti">} Imported */

/** @param {Place} place */
const route = ({ courseId, chapterId }) => `/api/educator/courses/${encodeURIComponent(courseId)}/quizzes/${encodeURIComponent(chapterId)}/qti`;

/** @param {Place} place @param {string} name of the file */
export const exportButton = (place, name) => actionButton("Download as QTI", async () => saveFile(await request("GET", route(place), { accept: "application/xml" }), name));

/**
 * Replaces the quiz by that of a file, unless the stored one has changed meanwhile.
 * @param {Place} place @param {() => number} version that of the stored quiz, 0 for none @param {(imported: Imported) => void} done gets what was saved and what was left out
 */
export const importButton = (place, version, done) => dialogButton("Import a QTI file", async () => {
	const input = h("input", { type: "file", id: "quiz-file", class: "input", accept: ".xml,.qti,.dat,.zip", "aria-describedby": "quiz-file-hint" });
	/** @type {Imported | undefined} */
	let imported;
	await ask({ title: "Import a quiz?", action: "Import the quiz",
		body: [h("p", {}, "The questions of the file are saved at once in place of those that are here, also of what you have not saved yet."),
			h("div", { class: "field" }, h("label", { for: "quiz-file" }, "QTI file"), input, h("p", { class: "hint", id: "quiz-file-hint" }, "A quiz that another learning platform has exported as QTI 1.2, or a zip with one, of at most 8 MB."))],
		submit: async () => {
			const file = input.files?.[0], form = new FormData();
			if (!file) throw new ApiError(400, "Choose a file first.");
			form.append("file", file);
			imported = await (await request("PUT", `${route(place)}?version=${version()}`, { form })).json();
		} });
	if (imported) done(imported);
});

/** What an import has left out, and why. @param {Imported} imported */
export const importNotice = ({ quiz, skipped }) => h("div", { class: "notice good stack tight", role: "status", tabIndex: -1 }, h("p", {}, `${count(quiz.questions.length, "question is", "questions are")} imported and saved. Look at how the quiz is taken below.`),
	skipped.length > 0 && h("p", {}, "This was left out:"), skipped.length > 0 && h("ul", {}, skipped.map(({ what, why }) => h("li", {}, h("bdi", {}, what), `: ${why}`))));
