// The dialog that enrols a person by hand.
import { h } from "../dom.js";
import { call, forgetCourses } from "../api.js";
import { ask } from "../components/dialog.js";
import { keepDraft } from "../components/draft.js";
import { allValid, field } from "../components/field.js";
import { limited } from "../components/limited.js";
import { personField } from "../components/person-field.js";
import { toast } from "../components/toast.js";

/** Resolves to whether there is a new enrolment. @param {import("./admin-enrolments.js").View} view @param {string} userId @param {string} courseId the values that are chosen at first, or "" */
export async function enrol({ people, courses, names }, userId, courseId) {
	const person = personField(people, { name: "new-person", chosen: userId, required: true });
	const course = field("Course", { name: "new-course", required: true, value: courseId, options: [["", "Choose a course"], ...courses] });
	const reason = limited("Reason", { name: "new-reason", rows: 3, max: 500, hint: "For your records, such as “paid by invoice 12”." });
	const forget = keepDraft("enrol", [reason]);
	let created = false;
	const done = await ask({ title: "Enrol a person", action: "Enrol", check: () => allValid([person, course, reason]),
		body: h("div", { class: "stack" }, h("p", { class: "muted" }, "The person can open all lectures at once and pays nothing."), person.element, course.element, reason.element),
		submit: async () => { created = (await call("POST /api/admin/enrollments", { body: { userId: person.id(), courseId: course.value(), reason: reason.value() || undefined } })).created; } });
	if (!done) return false;
	forget();
	const name = names.get(person.id());
	forgetCourses();
	toast(created ? `${name} is enrolled.` : `${name} was enrolled already; nothing has changed.`);
	return created;
}
