// Import a course from a package: a zip of this or another server, or a Common Cartridge. It becomes a
// draft of the educator.
import { fill, h } from "../dom.js";
import { count } from "../format.js";
import { busy } from "../components/button.js";
import { problemNotice } from "../components/problem.js";
import { teachHead } from "../components/staff-head.js";
import { uploadProgress } from "../components/upload-progress.js";
import { pathTo } from "../paths.js";
import { uploadPackage } from "../upload.js";

export const title = "Import a course";
export const width = "narrow";

/** @param {import("../router.js").Visit} visit */
export const page = ({ signal }) => [...teachHead("Import a course", "From the zip of an exported course, or from a Common Cartridge (.imscc) of another learning platform."), importForm(signal)];

/** @param {AbortSignal} leave */
function importForm(leave) {
	const input = h("input", { type: "file", id: "package", class: "input", accept: ".zip,.imscc", "aria-describedby": "package-hint" });
	const sending = uploadProgress("package"), text = h("p", { role: "status" });
	const stop = h("button", { class: "button", type: "button" }, "Cancel"), state = h("div", { class: "notice stack tight", hidden: true }, text, sending.element, h("div", {}, stop));
	const problem = problemNotice(), result = h("div", {}), submit = h("button", { class: "button primary", type: "submit" }, "Import the course");
	const run = async () => {
		const file = input.files?.[0], stopped = new AbortController();
		// The second click of a double click may come after the import: its result stays.
		if (!file && result.firstChild) return;
		problem.hide();
		fill(result);
		if (!file) { problem.show("Choose a file first."); return; }
		// The second click of a double click is meant for the button that was there.
		stop.onclick = (event) => { if (event.detail < 2) stopped.abort(); };
		state.hidden = false;
		sending.start(file);
		tell(0);
		try {
			fill(result, outcome(await uploadPackage(file, tell, AbortSignal.any([stopped.signal, leave]))));
			input.value = "";
			result.querySelector("h2")?.focus();
		} catch (error) {
			if (!stopped.signal.aborted && !leave.aborted) problem.show(error);
		} finally {
			state.hidden = true;
			sending.end();
		}
	};
	const tell = (/** @type {number} */ sent) => { sending.tell(sent); text.textContent = sent < 1 ? "Sending…" : "Sent. The server reads the package…"; };
	return h("div", { class: "stack loose" }, h("form", { class: "card pad stack", noValidate: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); busy(submit, run); } },
		h("div", { class: "field" }, h("label", { for: "package" }, "Package"), input, h("p", { class: "hint", id: "package-hint" }, "Nobody sees the new course until you publish it.")), state, problem.element, h("div", {}, submit)), result);
}

/** What was made, and what was left out and why. @param {import("../upload.js").Imported} imported */
function outcome({ courseId, imported, skipped }) {
	const parts = [count(imported.chapters, "chapter"), count(imported.lectures, "lecture"), count(imported.files, "file"), count(imported.quizzes, "quiz", "quizzes")];
	return h("section", { class: "notice good stack" }, h("h2", { tabIndex: -1 }, "The course is imported"), h("p", {}, `The draft has ${parts.join(", ")}.`),
		skipped.length > 0 && h("div", { class: "stack tight" }, h("h3", {}, "What was left out"), h("ul", {}, skipped.map(({ what, why }) => h("li", {}, h("bdi", {}, what), `: ${why}`)))),
		h("div", {}, h("a", { class: "button primary", href: pathTo.edit(courseId) }, "Edit the draft")));
}
