// The announcements in a course, for its students.
import { h } from "../dom.js";
import { call } from "../api.js";
import { announcementItem } from "../components/announcement.js";
import { pagedList } from "../components/paged-list.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";

export const title = "Announcements";
export const width = "narrow";

/** @param {import("../router.js").Visit} visit */
export function page({ params: { courseId }, place }) {
	const toCourse = h("a", { class: "button", href: pathTo.learn(courseId) }, "To the lectures");
	return [h("header", { class: "page-head" }, h("h1", {}, "Announcements"), toCourse), pagedList({
		read: async (cursor) => {
			const { announcements: rows, nextCursor = null } = await call("GET /api/user/announcements", { query: { courseId, limit: 10, cursor } });
			return { rows, nextCursor };
		},
		row: (announcement) => announcementItem(announcement), place,
		nothing: () => empty("No announcements yet", "What the educator of the course tells all its students stands here."),
	})];
}
