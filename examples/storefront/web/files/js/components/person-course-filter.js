// Fields that narrow a list to one person, to one course or to both. The address holds what is chosen.
import { fill, h } from "../dom.js";
import { setQuery } from "../router.js";
import { field } from "./field.js";
import { personField } from "./person-field.js";

/**
 * onchange draws the list anew. element makes the form, with further elements after the fields; unknown says
 * that the list is of a user or a course that cannot be chosen, because it was deleted.
 * @param {string} label of the fields, such as "Enrolments"
 * @param {{people: import("./person-field.js").Person[], courses: [id: string, title: string][], query: URLSearchParams, place: import("../place.js").Place}} view
 * @param {() => void} onchange
 */
export function personCourseFilter(label, { people, courses, query, place }, onchange) {
	const userId = query.get("userId") ?? "", courseId = query.get("courseId") ?? "";
	const unknown = h("p", { class: "row", role: "status" });
	const choose = (/** @type {string} */ name, /** @type {string} */ value) => { query.set(name, value); setQuery(query); place.rows = 0; explain(); onchange(); };
	// A link may have the id of a deleted user or course, which is not among the choices.
	const explain = () => {
		const lost = [query.get("userId") && !people.some(({ _id }) => _id === query.get("userId")) && "one deleted user", query.get("courseId") && !courses.some(([id]) => id === query.get("courseId")) && "one deleted course"].filter(Boolean);
		fill(unknown, lost.length > 0 && `Only those of ${lost.join(" in ")}.`, lost.length > 0 && h("a", { href: location.pathname }, "Show all"));
		unknown.hidden = lost.length === 0;
	};
	// The field tells of an empty text as of another choice, so that it must not get an id that it cannot show.
	const person = personField(people, { name: "userId", chosen: people.some(({ _id }) => _id === userId) ? userId : "", onchange: (id) => choose("userId", id) });
	const course = field("Course", { name: "courseId", value: courseId, options: [["", "All courses"], ...courses], oninput: (id) => choose("courseId", id) });
	explain();
	return { person, course, unknown, element: (/** @type {HTMLElement[]} */ ...more) => h("form", { class: "enrolment-tools", role: "search", "aria-label": label, onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, person.element, course.element, more) };
}
