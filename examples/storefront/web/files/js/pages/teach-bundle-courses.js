// The courses of a bundle in its form: chosen from own ones, put in order and removed.
import { fill, h } from "../dom.js";
import { finalPrice, money } from "../format.js";
import { choiceField } from "../components/choice-field.js";

/** @typedef {import("./teach-bundle-draft.js").OwnCourse} OwnCourse */

const least = 2, most = 50;

/** @param {{courseIds: string[]}} draft changed in place @param {OwnCourse[]} all those that can be chosen @param {Map<string, string>} titles of courses that cannot, by id @param {() => void} changed */
export function courseFields(draft, all, titles, changed) {
	const byId = new Map(all.map((course) => [course._id, course]));
	const titleOf = (/** @type {string} */ id) => byId.get(id)?.courseTitle ?? titles.get(id) ?? "A course that is no longer there";
	const list = h("ol", { class: "card list bundle-courses" }), place = h("div", {}), spoken = h("p", { class: "visually-hidden", role: "status" });
	const sum = h("p", { class: "muted small" }), problem = h("p", { class: "problem", role: "alert", hidden: true });
	let choose = newChoice(all, draft.courseIds);

	const edit = (/** @type {string} */ text) => {
		spoken.textContent = text;
		problem.hidden = true;
		draw();
		changed();
	};
	const add = () => {
		const id = choose.id();
		if (!choose.valid() || id === "") { choose.input.focus(); return; }
		draft.courseIds = [...draft.courseIds, id];
		edit(`${titleOf(id)} is added.`);
		choose.input.focus();
	};
	const remove = (/** @type {string} */ id) => {
		const at = draft.courseIds.indexOf(id);
		draft.courseIds = draft.courseIds.filter((other) => other !== id);
		edit(`${titleOf(id)} is removed.`);
		/** @type {HTMLElement} */ (list.children[Math.min(at, draft.courseIds.length - 1)]?.querySelector("button:last-child") ?? choose.input).focus();
	};
	const move = (/** @type {string} */ id, /** @type {-1 | 1} */ step) => {
		const at = draft.courseIds.indexOf(id), ids = draft.courseIds.toSpliced(at, 1);
		draft.courseIds = ids.toSpliced(at + step, 0, id);
		edit(`${titleOf(id)} is at place ${at + step + 1} of ${draft.courseIds.length}.`);
		const [up, down] = list.children[at + step].querySelectorAll("button");
		(step < 0 ? (up.disabled ? down : up) : (down.disabled ? up : down)).focus();
	};

	/** @param {string} id @param {number} at */
	const row = (id, at) => {
		const course = byId.get(id), title = titleOf(id);
		const button = (/** @type {string} */ text, /** @type {string} */ what, /** @type {() => void} */ work, disabled = false) => h("button", { class: "button quiet icon", type: "button", "aria-label": `${what}: ${title}`, title: what, disabled, onclick: work }, text);
		return h("li", { class: "row spread" }, h("span", { class: "row grow" }, h("bdi", {}, title), course && !course.isPublished && h("span", { class: "badge warn" }, "Draft"), course && h("span", { class: "muted small number" }, money(finalPrice(course)))),
			h("span", { class: "row" }, button("↑", "Move up", () => move(id, -1), at === 0), button("↓", "Move down", () => move(id, 1), at === draft.courseIds.length - 1), button("✕", "Remove", () => remove(id))));
	};
	const draw = () => {
		choose = newChoice(all, draft.courseIds);
		choose.input.addEventListener("keydown", (/** @type {any} */ event) => { if (event.key === "Enter") { event.preventDefault(); add(); } });
		fill(place, draft.courseIds.length < most && h("div", { class: "stack tight" }, choose.element, h("div", {}, h("button", { class: "button small", type: "button", onclick: add }, "Add the course"))));
		fill(list, draft.courseIds.map(row));
		list.hidden = draft.courseIds.length === 0;
		const known = draft.courseIds.flatMap((id) => byId.get(id) ?? []), drafts = known.filter(({ isPublished }) => !isPublished).length;
		sum.textContent = [known.length > 1 && `One by one they cost ${money(known.reduce((total, course) => total + finalPrice(course), 0))}.`, drafts > 0 && "As long as one of them is not published, the bundle is not for sale."].filter(Boolean).join(" ");
	};
	draw();

	const valid = () => {
		problem.textContent = draft.courseIds.length < least ? "A bundle has at least two courses. Choose more." : "";
		problem.hidden = problem.textContent === "";
		return problem.hidden;
	};
	return { element: h("div", { class: "stack" }, list, sum, place, problem, spoken), fields: () => [{ input: choose.input, valid }] };
}

/** The field that chooses one of the courses which are not in the bundle. Of courses with one title, each but the first has a number. @param {OwnCourse[]} all @param {string[]} chosen */
function newChoice(all, chosen) {
	/** @type {Map<string, number>} */
	const seen = new Map();
	const choices = all.filter(({ _id }) => !chosen.includes(_id)).map(({ _id, courseTitle }) => {
		const n = (seen.get(courseTitle) ?? 0) + 1;
		seen.set(courseTitle, n);
		return { id: _id, text: n > 1 ? `${courseTitle} (${n})` : courseTitle };
	});
	return choiceField("Course to add", choices, { name: "bundle-course", placeholder: "The title of a course", wrong: "No course has this title. Choose one of the suggestions." });
}
