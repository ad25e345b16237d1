// The assignments that a student has to do: work that came back, and what is open by its due time.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { time } from "../format.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/user/assignments">["assignments"][number]} Assignment */

const most = 5;

/** Shows nothing while there is nothing to do. */
export const due = () => load(read, (rows) => (rows.length === 0 ? null : h("section", { class: "due" }, h("div", { class: "section-head" }, h("h2", {}, "To do")), h("ul", { class: "card list" }, rows.map(row)))), { placeholder: h("span") });

/** @returns {Promise<Assignment[]>} */
async function read() {
	const [returned, open] = await Promise.all((/** @type {const} */ (["returned", "open"])).map((status) => call("GET /api/user/assignments", { query: { status, limit: most } })));
	return [...returned.assignments, ...open.assignments.filter(({ isLocked }) => !isLocked)].slice(0, most);
}

/** @param {Assignment} assignment */
function row({ courseId, courseTitle, lectureId, title, dueAt, status }) {
	const isOver = dueAt !== null && Date.parse(dueAt) < Date.now();
	return h("li", { class: "row spread" }, h("div", {}, h("a", { href: pathTo.lecture(courseId, lectureId) }, h("bdi", {}, title)), h("p", { class: "muted small" }, h("bdi", {}, courseTitle), dueAt && [" · ", `${isOver ? "was due" : "due"} ${time(dueAt)}`])),
		status === "returned" ? h("span", { class: "badge warn" }, "Came back") : h("span", { class: `badge ${isOver ? "bad" : ""}` }, isOver ? "Late" : dueAt ? "Due" : "Open"));
}
