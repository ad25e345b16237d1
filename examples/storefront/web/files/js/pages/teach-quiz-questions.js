// The questions of a quiz in the form: added, moved and removed. They are folded, and the fields of one are
// made when it is opened first, because a bank may have 500.
import { fill, h } from "../dom.js";
import { field, reveal } from "../components/field.js";
import { count } from "../format.js";
import { answerFields } from "./teach-quiz-answers.js";
import { kinds, newQuestion, whole } from "./teach-quiz-draft.js";

/** @typedef {import("./teach-quiz-draft.js").Question} Question */
/** @typedef {import("./teach-quiz-answers.js").Field} Field */
/** label shows the number of a question and its text. @typedef {{element: HTMLElement, details: HTMLDetailsElement, label: (number: number) => void, fields: () => Field[]}} Row */

export class QuestionsEditor {
	/** @param {Question[]} questions changed in place @param {() => void} changed called after each change */
	constructor(questions, changed) {
		this.questions = questions;
		this.changed = changed;
		/** @type {Map<Question, Row>} */
		this.rows = new Map();
		this.list = h("ol", { class: "plain-list stack" });
		this.summary = h("p", { class: "muted small" });
		this.spoken = h("p", { class: "visually-hidden", role: "status" });
		this.addButton = h("button", { class: "button", type: "button", onclick: () => this.add() }, "Add a question");
		this.element = h("div", { class: "stack" }, this.summary, this.list, h("div", {}, this.addButton), this.spoken);
		this.draw();
		if (questions.length === 1) this.row(questions[0]).details.open = true;
	}

	/** All fields in their order. */
	fields() { return this.questions.flatMap((question) => this.row(question).fields()); }

	/** @param {Question} question */
	row(question) {
		let row = this.rows.get(question);
		if (!row) this.rows.set(question, (row = questionRow(question, this)));
		return row;
	}

	draw() {
		fill(this.list, this.questions.map((question) => this.row(question).element));
		this.label();
	}

	label() {
		this.questions.forEach((question, i) => this.row(question).label(i + 1));
		const points = this.questions.reduce((sum, { points }) => sum + (Number(points) || 0), 0);
		this.summary.textContent = `${count(this.questions.length, "question")}, ${count(points, "point")} together`;
	}

	edited() {
		this.label();
		this.changed();
	}

	add() {
		const question = newQuestion();
		this.questions.push(question);
		this.draw();
		this.changed();
		this.open(question);
	}

	/** Opens a question and moves the focus to its text. @param {Question} question */
	open(question) {
		const { input } = this.row(question).fields()[0];
		reveal(input);
		input.focus();
	}

	/** Moves by one place; the button keeps the focus. @param {Question} question @param {number} step @param {HTMLElement} button */
	move(question, step, button) {
		const at = this.questions.indexOf(question), to = at + step;
		if (to < 0 || to >= this.questions.length) {
			this.spoken.textContent = step < 0 ? "It is the first already." : "It is the last already.";
			return;
		}
		this.questions.splice(at, 1);
		this.questions.splice(to, 0, question);
		this.draw();
		this.changed();
		button.focus();
		this.spoken.textContent = `Now question ${to + 1} of ${this.questions.length}.`;
	}

	/** @param {Question} question */
	remove(question) {
		const at = this.questions.indexOf(question);
		this.questions.splice(at, 1);
		this.rows.delete(question);
		this.draw();
		this.changed();
		const next = this.questions[Math.min(at, this.questions.length - 1)];
		if (next) this.row(next).details.querySelector("summary")?.focus();
		else this.addButton.focus();
		this.spoken.textContent = "Removed.";
	}
}

/** @param {Question} question @param {QuestionsEditor} editor @returns {Row} */
function questionRow(question, editor) {
	const heading = h("h3", { class: "chapter-title" }), note = h("span", { class: "muted small" });
	/** @type {ReturnType<typeof questionFields> | undefined} */
	let body;
	const made = () => {
		if (!body) details.append((body = questionFields(question, () => editor.edited())).element);
		return body;
	};
	const details = h("details", { name: "questions", ontoggle: () => { if (details.open) made(); } }, h("summary", {}, heading, note));
	const button = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {(button: HTMLElement) => void} */ work) => {
		const pressed = h("button", { class: "button quiet icon", type: "button", title: name, "aria-label": name, onclick: () => work(pressed) }, sign);
		return pressed;
	};
	const buttons = h("div", { class: "edit-buttons" }, button("↑", "Move question up", (b) => editor.move(question, -1, b)), button("↓", "Move question down", (b) => editor.move(question, 1, b)), button("✕", "Remove question", () => editor.remove(question)));
	let labelled = "";
	const label = (/** @type {number} */ number) => {
		const text = question.text.trim(), now = `${number} ${question.kind} ${question.points} ${text}`;
		if (now === labelled) return; // each key in one question asks all
		labelled = now;
		fill(heading, `Question ${number}`, text === "" ? [] : [": ", h("bdi", {}, text.length > 120 ? text.slice(0, 119) + "…" : text)]);
		note.textContent = `${kinds.find(([kind]) => kind === question.kind)?.[1]}, ${count(Number(question.points) || 0, "point")}`;
	};
	return { element: h("li", { class: "card chapter-edit quiz-edit" }, buttons, details), details, label, fields: () => made().fields() };
}

/** @param {Question} question @param {() => void} changed */
function questionFields(question, changed) {
	const region = h("div");
	/** @type {import("./teach-quiz-answers.js").Part} */
	let answers;
	const draw = () => fill(region, (answers = answerFields(question, changed)).element);
	const text = field("Question", { name: "quiz-question", rows: 2, required: true, maxLength: 1000, value: question.text, oninput: (value) => { question.text = value; changed(); } });
	const kind = field("Kind", { name: "quiz-kind", required: true, value: question.kind, options: kinds, oninput: (value) => { question.kind = /** @type {Question["kind"]} */ (value); draw(); changed(); } });
	const points = field("Points", { name: "quiz-points", required: true, value: question.points, inputMode: "numeric", autocomplete: "off", check: whole(1, 100), oninput: (value) => { question.points = value; changed(); } });
	const explanation = field("Explanation", { name: "quiz-explanation", rows: 2, maxLength: 2000, value: question.explanation, hint: "Why it is right. Students see it where they may see the right answers.", oninput: (value) => { question.explanation = value; changed(); } });
	draw();
	const element = h("div", { class: "quiz-edit-fields stack" }, text.element, h("div", { class: "price-fields" }, kind.element, points.element), region, explanation.element);
	return { element, fields: () => [text, points, ...answers.fields(), explanation] };
}
