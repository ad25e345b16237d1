// Roadmaps: one from the reader's own courses, and one to any topic. The AI writes for up to a
// minute; the reader may open other pages meanwhile and finds the roadmap here.
import { fill, h } from "../dom.js";
import { call } from "../api.js";
import { setQuery } from "../router.js";
import { keepDraft } from "../components/draft.js";
import { form } from "../components/form.js";
import { Job } from "../components/job.js";
import { limited } from "../components/limited.js";
import { courseStats, roadmapView } from "../components/roadmap.js";
import { empty, explain } from "../components/states.js";
import { tabs } from "../components/tabs.js";

/** @typedef {import("../types").Answer<"POST /api/user/generate-personal-roadmap">} Personal */
/** @typedef {import("../types").Answer<"POST /api/user/generate-custom-roadmap">} Custom */

export const title = "Roadmaps";

/** @type {Job<Personal>} */
const personal = new Job("personal-roadmap", "Your roadmap is ready: open Roadmaps to read it.");
/** @type {Job<Custom>} */
const custom = new Job("topic-roadmap", "The roadmap to your topic is ready: open Roadmaps to read it.");

/** The text that is shown while the AI writes, from a number of seconds on. @type {[number, string][]} */
const stages = [[0, "Reading your request…"], [3, "Writing the stages…"], [15, "Still writing: a long roadmap can take a minute…"], [60, "This takes longer than usual. It is still being written…"]];

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal }) {
	personal.open();
	custom.open();
	signal.addEventListener("abort", () => { personal.watch = custom.watch = null; });
	const show = (/** @type {string} */ kind) => { query.set("kind", kind); setQuery(query); };
	return [
		h("header", { class: "page-head" }, h("div", {}, h("h1", {}, "Roadmaps"), h("p", { class: "lead" }, "A plan of what to learn, in stages: from the courses that you take, or to a topic of your choice."))),
		tabs("Kinds of roadmaps", [{ name: "personal", text: "From your courses", show: personalPanel }, { name: "topic", text: "To a topic", show: topicPanel }],
			{ chosen: query.get("kind") === "topic" ? "topic" : "personal", onchange: show }),
	];
}

function personalPanel() {
	const write = () => personal.run("", () => call("POST /api/user/generate-personal-roadmap"));
	const start = form([], { action: "Write my roadmap", submit: write });
	return panel(personal, start, "Your roadmap is written from the courses that you take and from your progress.", (answer) => [roadmapView(answer.roadmap), courseStats(answer.courseStats)]);
}

function topicPanel() {
	const topic = limited("Topic", { name: "topic", min: 2, max: 120, required: true, value: custom.input, hint: "Such as: data engineering, watercolour, leading a team." });
	const forget = keepDraft("topic", [topic]);
	const write = () => custom.run(topic.value(), () => call("POST /api/user/generate-custom-roadmap", { body: { topic: topic.value() } })).then(() => { if (!custom.error) forget(); });
	const start = form([topic], { action: "Write the roadmap", submit: write });
	return panel(custom, start, "You need not take a course in it.", (answer) => roadmapView(answer.roadmap));
}

/**
 * The form that starts a job, its progress, and its result.
 * @template T
 * @param {Job<T>} job @param {HTMLElement} start @param {string} text @param {(result: T) => any} show
 */
function panel(job, start, text, show) {
	const status = h("div", { role: "status" });
	const result = h("div", { class: "stack loose" });
	/** @type {ReturnType<typeof setInterval> | undefined} */
	let timer;
	const draw = () => {
		clearInterval(timer);
		start.hidden = job.started > 0;
		fill(status, job.started > 0 && progressNote());
		if (job.started > 0) timer = setInterval(tell, 1000);
		fill(result, job.error ? problem(job.error) : null, job.result && !job.started ? show(job.result) : null);
		tell();
	};
	const tell = () => {
		const seconds = (Date.now() - job.started) / 1000;
		const line = status.querySelector("strong");
		const words = stages.findLast(([from]) => seconds >= from)?.[1] ?? "";
		if (job.watch !== draw) clearInterval(timer);
		if (line && line.textContent !== words) line.textContent = words;
	};
	personal.watch = custom.watch = null;
	job.watch = draw;
	draw();
	return h("div", { class: "stack loose" }, h("div", { class: "card pad stack" }, h("p", { class: "muted" }, text), start, status), result);
}

const progressNote = () => h("div", { class: "notice stack tight" }, h("p", { class: "row" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("strong", {}, stages[0][1])),
	h("p", { class: "small muted" }, "You may open other pages of this site: the roadmap is here when you come back."));

/** @param {unknown} error */
function problem(error) {
	if (/** @type {{status?: number}} */ (error).status === 409) return empty("Enroll in a course first", "A personal roadmap needs a course. Choose one, or ask for a roadmap to a topic.", h("a", { class: "button primary", href: "/" }, "See all courses"));
	return h("p", { class: "notice bad", role: "alert" }, explain(error));
}
