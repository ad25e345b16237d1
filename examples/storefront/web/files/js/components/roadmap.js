// A roadmap: stages in order, each with its state in words. All lists of a stage may be missing.
import { h } from "../dom.js";
import { progress } from "./progress.js";

/** @typedef {import("../types").Answer<"POST /api/user/generate-custom-roadmap">["roadmap"]} Roadmap */
/** @typedef {Roadmap["stages"][number]} Stage */

/** How each state of a stage is shown: a sign, words, and the kind of its badge. @type {Record<Stage["status"], [string, string, string]>} */
const states = { completed: ["✓", "Completed", "good"], current: ["▶", "You are here", "accent"], upcoming: ["○", "Next", ""], future: ["…", "Later", ""] };
/** @type {Record<string, [string, string]>} */
const priorities = { high: ["High priority", "warn"], medium: ["Medium priority", "accent"], low: ["Low priority", ""] };

/** @param {Roadmap} roadmap */
export function roadmapView(roadmap) {
	return h("article", { class: "stack loose" },
		h("header", { class: "stack tight" }, h("h2", {}, h("bdi", {}, roadmap.title)), h("p", { class: "lead preserve", dir: "auto" }, roadmap.summary)),
		h("ol", { class: "plain-list stages" }, roadmap.stages.map(stageItem)));
}

/** @param {Stage} stage */
function stageItem(stage) {
	const [sign, words, kind] = states[stage.status];
	return h("li", { class: `stage ${stage.status}`, "aria-current": stage.status === "current" ? "step" : null },
		h("span", { class: "stage-sign", "aria-hidden": "true" }, sign),
		h("div", { class: "card pad stack" },
			h("div", { class: "row" }, h("h3", {}, h("span", { "aria-hidden": "true" }, stage.icon, " "), h("bdi", {}, stage.label)), h("span", { class: `badge ${kind}` }, words), stage.timeEstimate && h("span", { class: "muted small" }, stage.timeEstimate)),
			h("p", { class: "preserve", dir: "auto" }, stage.description),
			parts(stage)));
}

/** The lists of a stage, those that it has. @param {Stage} stage */
function parts(stage) {
	const all = [
		part("Skills", stage.skills, (skill) => h("li", { class: "badge" }, skill), "row"),
		part("Courses", stage.courses, courseItem),
		part("What to do", stage.recommendations, recommendationItem),
		part("Good to know", stage.highlights, textItem, "bullets"),
		part("Projects", stage.projects, textItem, "bullets"),
		part("Resources", stage.resources, textItem, "bullets"),
		part("Certifications", stage.certifications, textItem, "bullets"),
		part("Where it leads", stage.paths, pathItem),
	].filter((node) => node !== null);
	return all.length > 0 && h("div", { class: "stage-parts" }, all);
}

/**
 * @template T
 * @param {string} title @param {T[] | undefined} items @param {(item: T) => Node} show @param {string} [kind] class of the list
 */
function part(title, items, show, kind = "stack tight") {
	if (!items || items.length === 0) return null;
	return h("section", { class: "stack tight" }, h("h4", {}, title), h("ul", { class: kind === "bullets" ? kind : `plain-list ${kind}` }, items.map(show)));
}

/** @param {string} text */
const textItem = (text) => h("li", { dir: "auto" }, text);

/** @param {{title: string, completion: number}} course */
const courseItem = ({ title, completion }) => h("li", { class: "stack tight" }, h("a", { href: `/?q=${encodeURIComponent(title)}` }, h("bdi", {}, title)), percent(completion, "completed", title));

/** @param {NonNullable<Stage["recommendations"]>[number]} recommendation */
function recommendationItem({ title, priority, reason }) {
	const [words, kind] = priorities[priority];
	return h("li", { class: "stack tight" }, h("p", { class: "row" }, h("strong", {}, h("bdi", {}, title)), h("span", { class: `badge ${kind}` }, words)), h("p", { class: "muted", dir: "auto" }, reason));
}

/** @param {NonNullable<Stage["paths"]>[number]} path */
function pathItem({ title, readiness, gap }) {
	return h("li", { class: "stack tight" }, h("strong", {}, h("bdi", {}, title)), percent(readiness, "ready", title),
		gap.length > 0 && h("div", {}, h("p", { class: "small muted" }, "Still missing:"), h("ul", { class: "bullets" }, gap.map(textItem))));
}

/** A share with its bar. @param {number} share in per cent @param {string} what it is a share of @param {string} title */
function percent(share, what, title) {
	const bar = h("span", {});
	bar.style.width = `${share}%`;
	return h("div", { class: "row nowrap" }, h("div", { class: "progress grow", role: "progressbar", "aria-label": `${title}: ${what}`, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(share) }, bar), h("span", { class: "small muted number" }, `${share} % ${what}`));
}

/** @param {import("../types").Answer<"POST /api/user/generate-personal-roadmap">["courseStats"]} courses */
export function courseStats(courses) {
	return h("section", { class: "stack" }, h("h2", {}, "What it is based on"),
		h("ul", { class: "grid plain-list" }, courses.map((course) => h("li", { class: "card pad stack tight" }, h("h3", {}, h("bdi", {}, course.title)), progress(course.doneLectures, course.totalLectures, `${course.title}: lectures completed`)))));
}
