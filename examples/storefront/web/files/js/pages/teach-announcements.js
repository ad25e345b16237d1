// Announcements in a course, for its educator or an administrator: write one, and delete it.
import { fill, h } from "../dom.js";
import { call } from "../api.js";
import { session } from "../session.js";
import { announcementItem } from "../components/announcement.js";
import { dialogButton } from "../components/button.js";
import { ask } from "../components/dialog.js";
import { keepDraft } from "../components/draft.js";
import { form } from "../components/form.js";
import { limited } from "../components/limited.js";
import { pagedList } from "../components/paged-list.js";
import { adminHead, teachHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../components/announcement.js").Announcement} Announcement */

export const title = "Announcements";

/** @param {import("../router.js").Visit} visit */
export function page({ params: { courseId }, place }) {
	const head = session.role() === "admin" ? adminHead : teachHead, list = h("div");
	const show = () => fill(list, rows(courseId, place));
	show();
	return [...head("Announcements", "Every student of the course is told of it, and reads it there."), h("p", { class: "back" }, h("a", { href: pathTo.edit(courseId) }, "← The course")),
		h("div", { class: "stack loose course-form" }, h("section", { class: "card pad" }, write(courseId, show)), h("section", { class: "stack", "aria-label": "What was announced" }, list))];
}

/** @param {string} courseId @param {() => void} written */
function write(courseId, written) {
	const heading = limited("Title", { name: "title", max: 200, required: true });
	const text = limited("Text", { name: "text", max: 10_000, rows: 6, required: true, hint: "Markdown: # for headings, - for lists, ** for bold." });
	const forget = keepDraft(`announcement.${courseId}`, [heading, text]);
	return form([heading, text], { action: "Announce", submit: async () => {
		await call("POST /api/educator/courses/{courseId}/announcements", { path: { courseId }, body: { title: heading.value(), text: text.value() } });
		forget();
		for (const { input } of [heading, text]) { input.value = ""; input.dispatchEvent(new Event("input")); }
		written();
		toast("It is announced. All students are told within a minute.");
	} });
}

/** @param {string} courseId @param {import("../place.js").Place} place */
const rows = (courseId, place) => pagedList({
	read: async (cursor) => {
		const { announcements, nextCursor = null } = await call("GET /api/educator/courses/{courseId}/announcements", { path: { courseId }, query: { limit: 10, cursor } });
		return { rows: announcements, nextCursor };
	},
	row: (/** @type {Announcement} */ announcement, remove) => announcementItem(announcement, h("div", {}, dialogButton("Delete", () => deletion(courseId, announcement, remove), { kind: "danger small", name: `Delete: ${announcement.title}` }))), place,
	nothing: () => empty("Nothing announced yet", "Tell your students of a new lecture, a date or a change."),
});

/** @param {string} courseId @param {Announcement} announcement @param {(gone: (row: Announcement) => boolean) => void} remove */
async function deletion(courseId, announcement, remove) {
	const sure = await ask({ title: "Delete this announcement?", kind: "danger", action: "Delete", body: h("p", {}, "“", h("bdi", {}, announcement.title), "” and what students were told of it are deleted. This cannot be undone."),
		submit: () => call("DELETE /api/educator/courses/{courseId}/announcements/{announcementId}", { path: { courseId, announcementId: announcement._id } }) });
	if (!sure) return;
	remove((row) => row._id === announcement._id);
	toast("The announcement is deleted.");
}
