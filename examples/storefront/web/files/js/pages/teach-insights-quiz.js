// What an educator does with the quiz of a chapter: read its questions with the solutions, and have
// it written anew. The writing goes on while the educator looks at other pages.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { day } from "../format.js";
import { ask } from "../components/dialog.js";
import { explain } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {{courseId: string, chapterId: string, chapterTitle: string}} Chapter */
/** @typedef {import("../types").Answer<"GET /api/quiz/{courseId}/{chapterId}">["quiz"]} Quiz */

/** The quizzes that are being written. @type {Map<string, Promise<any>>} */
const writing = new Map();

/** @param {Chapter} chapter */
const key = ({ courseId, chapterId }) => `${courseId}/${chapterId}`;

/** Starts the writing, or returns the one that is under way. @param {Chapter} chapter */
function write(chapter) {
	const { courseId, chapterId, chapterTitle } = chapter;
	const started = writing.get(key(chapter));
	if (started) return started;
	const work = call("POST /api/quiz/generate", { body: { courseId, chapterId } });
	writing.set(key(chapter), work);
	work.then(() => toast(`The quiz on “${chapterTitle}” is new.`), () => {}).finally(() => writing.delete(key(chapter)));
	return work;
}

let made = 0;

/** Buttons and the questions of a chapter's quiz. @param {Chapter} chapter */
export function quizTools(chapter) {
	const id = `questions-${++made}`;
	const state = h("div", { role: "status" });
	const region = h("div", { id, hidden: true });
	const see = h("button", { class: "button", type: "button", "aria-controls": id, "aria-label": `Questions on ${chapter.chapterTitle}`, onclick: () => show(region.hidden) }, "Questions");
	const show = (/** @type {boolean} */ open) => {
		region.hidden = !open;
		see.setAttribute("aria-expanded", String(open));
		if (open) fill(region, load(() => call("GET /api/quiz/{courseId}/{chapterId}", { path: chapter }), ({ quiz }) => questions(quiz)));
	};
	const anew = h("button", { class: "button", type: "button", "aria-label": `Write the quiz anew: ${chapter.chapterTitle}`, onclick: async () => {
		if (!writing.has(key(chapter)) && (await agree(chapter))) await follow(write(chapter), state, show);
	} }, "Write the quiz anew");
	show(false);
	const work = writing.get(key(chapter));
	if (work) follow(work, state, show);
	return h("div", { class: "stack quiz-tools" }, h("div", { class: "row" }, see, anew), state, region);
}

/** @param {Chapter} chapter */
const agree = ({ chapterTitle }) => ask({
	title: "Write the quiz anew?", action: "Write it anew", submit: async () => {},
	body: h("p", {}, "New questions on “", h("bdi", {}, chapterTitle), "” take the place of the present ones, which cannot be brought back. Results that students have stay. Students who are answering the quiz at this moment have to begin again."),
});

/** Says how the writing is going, and shows the new questions. @param {Promise<any>} work @param {HTMLElement} state @param {(open: boolean) => void} show */
async function follow(work, state, show) {
	fill(state, h("div", { class: "notice stack tight" }, h("p", {}, "Writing the questions… This can take a minute. You may look at other pages meanwhile."), h("progress", { "aria-label": "Writing the quiz" })));
	try {
		await work;
		fill(state, h("p", { class: "notice good" }, "The quiz is new. These are its questions:"));
		show(true);
	} catch (error) {
		if (!state.isConnected) toast(explain(error), "bad");
		fill(state, h("p", { class: "notice bad" }, explain(error)));
	}
}

/** @param {Quiz} quiz */
function questions(quiz) {
	return h("div", { class: "stack" }, h("p", { class: "muted small" }, `${quiz.questions.length} questions, written ${day(quiz.updatedAt)}. Only you see the solutions.`),
		h("ol", { class: "quiz-questions stack loose" }, quiz.questions.map(({ question, options, correctIndex, explanation }) => h("li", {},
			h("p", {}, h("strong", {}, h("bdi", {}, question))),
			h("ul", { class: "plain-list" }, options.map((option, i) => h("li", { class: i === correctIndex ? "correct" : "" }, h("span", { "aria-hidden": "true" }, i === correctIndex ? "✓" : "·"), h("span", {}, h("bdi", {}, option), i === correctIndex && h("span", { class: "badge good" }, "correct"))))),
			explanation && h("p", { class: "muted small" }, h("bdi", {}, explanation))))));
}
