// An announcement in a course, as students and its educator read it.
import { h } from "../dom.js";
import { ago, time } from "../format.js";
import { markdown } from "./markdown.js";

/** @typedef {import("../types").Answer<"GET /api/user/announcements">["announcements"][number]} Announcement */

/** @param {Announcement} announcement @param {...(Node | null)} children below the text */
export const announcementItem = ({ title, text, authorName, createdAt }, ...children) => h("li", { class: "card pad stack tight" },
	h("h2", { class: "announcement-title" }, h("bdi", {}, title)),
	h("p", { class: "muted small" }, h("bdi", {}, authorName), " · ", h("time", { dateTime: createdAt, title: time(createdAt) }, ago(createdAt))),
	markdown(text), children);
