// The kinds of lectures, in a word.

/** @typedef {NonNullable<import("./learning-course.js").Lecture["kind"]>} Kind */

/** @type {Record<Kind, string>} */
const names = { video: "Video", audio: "Audio", text: "Text", file: "File", embed: "Page of another site", assignment: "Assignment" };

/** The name of a kind; "" for a lecture without one, which is a web address. @param {Kind} [kind] */
export const kindName = (kind) => (kind ? names[kind] : "");
