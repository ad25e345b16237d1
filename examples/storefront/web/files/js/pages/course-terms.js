// The terms of a course in its form: until when one has access, in which order the lectures open, and
// what must be completed before. Each part is folded, and its summary says what it holds.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { count, time } from "../format.js";
import { session } from "../session.js";
import { choiceField } from "../components/choice-field.js";
import { field } from "../components/field.js";
import { fromField, toField } from "../components/local-time.js";

/**
 * Numbers are kept as typed; until and at are times as the API has them, so that what is not touched
 * stays as it is to the second.
 * @typedef {{certificate: {quizzes: boolean, assignments: boolean}, days: string, until: string, inOrder: boolean, requires: string[]}} Terms
 * @typedef {{by: "now" | "days" | "at", days: string, at: string}} Opens
 */

const longest = 3650, mostRequired = 10;

/** @returns {Terms} */
export const noTerms = () => ({ certificate: { quizzes: false, assignments: false }, days: "", until: "", inOrder: false, requires: [] });
/** @returns {Opens} */
export const opensNow = () => ({ by: "now", days: "", at: "" });

/** @param {{certificate?: {quizzes?: boolean, assignments?: boolean}, days?: number, until?: string, inOrder?: boolean, requires?: string[]}} [terms] @returns {Terms} */
export const termsOf = ({ certificate, days, until = "", inOrder = false, requires = [] } = {}) => ({
	certificate: { quizzes: certificate?.quizzes ?? false, assignments: certificate?.assignments ?? false }, days: days ? String(days) : "", until, inOrder, requires });

/** The terms as the API takes them: what is not set is left out. @param {Terms} terms */
export const termsData = ({ certificate, days, until, inOrder, requires }) => ({
	certificate: certificate.quizzes || certificate.assignments ? certificate : undefined, days: days === "" ? undefined : Number(days), until: until || undefined,
	inOrder: inOrder || undefined, requires: requires.length > 0 ? requires : undefined });

/** @param {{afterDays?: number, at?: string}} [opens] @returns {Opens} */
export const opensOf = (opens) => (opens?.at ? { by: "at", days: "", at: opens.at } : opens?.afterDays !== undefined ? { by: "days", days: String(opens.afterDays), at: "" } : opensNow());

/** @param {Opens} opens */
export const opensData = ({ by, days, at }) => (by === "days" ? { afterDays: Number(days) } : by === "at" ? { at } : undefined);

/** @param {number} least */
const wholeDays = (least) => (/** @type {string} */ value) => (/^\d{1,4}$/.test(value) && Number(value) >= least && Number(value) <= longest ? "" : `A whole number from ${least} to ${longest.toLocaleString()}.`);

/** What one reads of the terms while they are folded. @param {Terms} terms */
function summaryOf({ days, until, inOrder, requires }) {
	const ends = [days && `${count(Number(days) || 0, "day")} of access`, until && `access until ${time(until)}`].filter(Boolean);
	const rest = [inOrder && "one lecture after the other", requires.length > 0 && `after ${count(requires.length, "other course")}`].filter(Boolean);
	const text = [...(ends.length > 0 ? ends : ["Access has no end"]), ...rest].join(", ");
	return text[0].toUpperCase() + text.slice(1);
}

/** @param {{terms: Terms, courseId?: string, changed: () => void, signal: AbortSignal}} form courseId is that of the course, which does not require itself */
export function accessFields({ terms, courseId = "", changed, signal }) {
	const summary = h("summary", {}), required = h("div", { class: "stack tight" });
	const edited = () => { summary.textContent = summaryOf(terms); changed(); };
	const days = field("Days of access", { name: "terms-days", value: terms.days, inputMode: "numeric", autocomplete: "off", check: wholeDays(1), hint: "From the enrolment on. Nothing means no end.", oninput: (value) => { terms.days = value.trim(); edited(); } });
	const until = field("Ends for everybody", { name: "terms-until", type: "datetime-local", value: toField(terms.until), hint: "In your time zone. After it the course is not sold any more.", oninput: (value) => { terms.until = fromField(value) ?? ""; edited(); } });
	const inOrder = h("label", { class: "check" }, h("input", { type: "checkbox", checked: terms.inOrder, onchange: (/** @type {any} */ event) => { terms.inOrder = event.target.checked; edited(); } }), "One lecture after the other: each opens when all before it are done");
	summary.textContent = summaryOf(terms);
	const details = h("details", { ontoggle: () => { if (details.open && !required.hasChildNodes()) fill(required, load(() => courses(courseId, signal), (all) => requiredCourses(terms, all, edited))); } },
		summary, h("div", { class: "stack" }, h("p", { class: "muted small" }, "What you change of days and end counts for those who enrol after it. Who is enrolled keeps what was bought."),
			h("div", { class: "price-fields" }, days.element, until.element), inOrder, required));
	return { element: details, fields: [days, until] };
}

/** The courses that another may require. @param {string} courseId @param {AbortSignal} signal */
async function courses(courseId, signal) {
	const { courses: all } = session.role() === "admin" ? await call("GET /api/admin/courses", { signal }) : await call("GET /api/educator/courses", { signal });
	return all.filter(({ _id }) => _id !== courseId).map(({ _id, courseTitle }) => ({ id: _id, text: courseTitle }));
}

/** @param {Terms} terms @param {import("../components/choice-field.js").Choice[]} all @param {() => void} changed */
function requiredCourses(terms, all, changed) {
	const region = h("div", { class: "stack tight" });
	const draw = () => {
		const choose = choiceField("Courses to complete before", all.filter(({ id }) => !terms.requires.includes(id)), { name: "terms-requires", placeholder: "The title of a course", wrong: "No course has this title. Choose one of the suggestions, or empty the field.",
			onchange: (id) => { if (id === "") return; terms.requires.push(id); changed(); draw(); } });
		const chosen = terms.requires.map((id) => {
			const title = all.find((course) => course.id === id)?.text ?? "A course of somebody else";
			return h("li", { class: "row spread" }, h("bdi", {}, title), h("button", { class: "button small", type: "button", "aria-label": `Remove ${title}`, onclick: () => { terms.requires = terms.requires.filter((other) => other !== id); changed(); draw(); } }, "Remove"));
		});
		fill(region, terms.requires.length < mostRequired && choose.element, chosen.length > 0 && h("ul", { class: "plain-list stack tight" }, chosen));
	};
	draw();
	return region;
}

/** What a certificate asks beside the lectures. @param {{terms: Terms, changed: () => void}} form */
export function certificateChoice({ terms, changed }) {
	const choice = (/** @type {"quizzes" | "assignments"} */ name, /** @type {string} */ text) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: terms.certificate[name], onchange: (/** @type {any} */ event) => { terms.certificate = { ...terms.certificate, [name]: event.target.checked }; changed(); } }), text);
	return h("details", {}, h("summary", {}, "What a certificate asks"), h("fieldset", { class: "stack tight" }, h("legend", { class: "muted small" }, "Beside all lectures. Certificates that were issued stay."),
		choice("quizzes", "All quizzes that you have written are passed"), choice("assignments", "All assignments are graded")));
}

/** When a chapter opens. @param {Opens} opens @param {() => void} changed */
export function openingFields(opens, changed) {
	const region = h("div", { class: "price-fields" });
	const by = field("The chapter opens", { name: "chapter-opens", required: true, value: opens.by, options: [["now", "At once"], ["days", "Some days after the enrolment"], ["at", "At a time"]], oninput: (value) => { opens.by = /** @type {Opens["by"]} */ (value); draw(); changed(); } });
	/** @type {ReturnType<typeof field>[]} */
	let shown = [];
	const draw = () => {
		shown = opens.by === "days" ? [field("Days after the enrolment", { name: "chapter-opens-days", value: opens.days, required: true, inputMode: "numeric", autocomplete: "off", check: wholeDays(0), oninput: (value) => { opens.days = value.trim(); changed(); } })]
			: opens.by === "at" ? [field("Opens at", { name: "chapter-opens-at", type: "datetime-local", value: toField(opens.at), required: true, hint: "In your time zone.", oninput: (value) => { opens.at = fromField(value) ?? ""; changed(); } })] : [];
		fill(region, [by, ...shown].map(({ element }) => element));
	};
	draw();
	return { element: region, fields: () => shown };
}
