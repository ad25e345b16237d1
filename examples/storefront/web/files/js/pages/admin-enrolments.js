// Enrolments, of one person or one course or all: where they come from, and when they ended.
// Administrators enrol people by hand and end enrolments.
import { fill, h, load } from "../dom.js";
import { ApiError, call } from "../api.js";
import { dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { enrolmentState } from "../components/enrolment.js";
import { pagedList } from "../components/paged-list.js";
import { personCourseFilter } from "../components/person-course-filter.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";
import { userLink } from "../components/user-link.js";
import { enrol } from "./admin-enrolments-new.js";

/** @typedef {import("../components/enrolment.js").Enrolment} Enrolment */
/** @typedef {import("../components/person-field.js").Person} Person */
/** What the parts of the page share: names of users by id. @typedef {{people: Person[], courses: [id: string, title: string][], names: Map<string, string>, query: URLSearchParams, signal: AbortSignal, place: import("../place.js").Place}} View */

export const title = "Enrolments";

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	return [...adminHead("Enrolments", "Who is or was enrolled, and since when. You can enrol people by hand, and end an enrolment."),
		load(async () => {
			const [{ users }, { courses }] = await Promise.all([call("GET /api/admin/users", { signal }), call("GET /api/admin/courses", { signal })]);
			const titles = courses.map((course) => /** @type {[string, string]} */ ([course._id, course.courseTitle])).sort(([, a], [, b]) => a.localeCompare(b));
			return { people: users, courses: titles, names: new Map(users.map((user) => [user._id, user.name])), query, signal, place };
		}, show)];
}

/** @param {View} view */
function show(view) {
	const list = h("div", {});
	const draw = () => fill(list, enrolments(view));
	const { person, course, unknown, element } = personCourseFilter("Enrolments", view, draw);
	draw();
	return h("div", { class: "stack" }, element(dialogButton("Enrol a person", async () => { if (await enrol(view, person.id(), course.value())) draw(); }, { kind: "primary" })), unknown, list);
}

/** @param {View} view */
const enrolments = ({ names, query, signal, place }) => pagedList({
	place,
	read: async (cursor) => {
		const { enrollments: rows, nextCursor } = await call("GET /api/admin/enrollments", { query: { userId: query.get("userId") || undefined, courseId: query.get("courseId") || undefined, limit: 50, cursor }, signal });
		return { rows, nextCursor };
	},
	row: (enrolment) => item(enrolment, names.get(enrolment.userId) ?? "Deleted user"),
	nothing: () => empty("No enrolments", query.get("userId") || query.get("courseId") ? "Choose another person or course, or enrol the person." : "People appear here when they enrol, or when you enrol them."),
	list: "card list",
});

/** @param {Enrolment} enrolment @param {string} name */
function item(enrolment, name) {
	const element = h("li", { class: "enrolment", tabIndex: -1 });
	const draw = () => {
		fill(element, h("div", { class: "grow" },
			h("p", {}, h("strong", {}, userLink(enrolment.userId, name)), " in ", h("bdi", {}, enrolment.courseTitle)),
			enrolmentState(enrolment),
			enrolment.reason && h("p", { class: "muted small preserve" }, h("bdi", {}, enrolment.reason))),
		!enrolment.endedAt && dialogButton("End", async () => {
			if (!(await askToEnd(enrolment, name))) return;
			enrolment.endedAt = new Date().toISOString();
			draw();
			element.focus();
		}, { kind: "small", name: `End the enrolment of ${name} in ${enrolment.courseTitle}` }));
	};
	draw();
	return element;
}

/** @param {Enrolment} enrolment @param {string} name */
async function askToEnd({ userId, courseId, courseTitle, origin }, name) {
	const done = await ask({ title: "End this enrolment?", kind: "danger", action: "End the enrolment",
		body: [h("p", {}, h("bdi", {}, name), " can no longer open ", h("bdi", {}, courseTitle), ". Progress, quiz results and certificates stay, and the progress is there again after another enrolment."),
			h("p", {}, origin === "purchase" ? "No money is given back: for that, refund the purchase." : "You can enrol the person again at any time.")],
		submit: () => call("DELETE /api/admin/enrollments/{userId}/{courseId}", { path: { userId, courseId } }).catch(ifEndedBefore) });
	if (done) toast(`The enrolment of ${name} has ended.`);
	return done;
}

/** @param {unknown} error */
function ifEndedBefore(error) {
	if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
