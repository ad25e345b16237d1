// What the player says of a lecture, or of a course, that is not open to the student.
import { h } from "../dom.js";
import { time } from "../format.js";
import { pathTo } from "../paths.js";
import { empty } from "./states.js";

/** In place of a lecture that is locked: when it opens. @param {import("./learning-course.js").Lecture} lecture @param {string} courseId */
export const lockedLecture = ({ opensAt, lockedBy }, courseId) => empty("This lecture is not open yet", lockedBy === "time" && opensAt ? `It opens on ${time(opensAt)}.` : "It opens when the lectures before it are done.",
	h("a", { class: "button primary", href: pathTo.learn(courseId) }, "Open the lecture that is next"));

/** What the server says when the time of the access is over. */
const accessEnded = "Your access to this course has ended";

/** Why a course did not open, for the student. @param {string} refusal what the server said */
export const whyClosed = (refusal) => (refusal === accessEnded ? `${accessEnded}. You can buy it again.` : "Enrol in this course first, then its lectures open.");
