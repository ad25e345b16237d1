// The order of chapters and lectures: pure functions on the chapters of a draft.

/**
 * @typedef {import("./teach-new-draft.js").Chapter} Chapter
 * @typedef {import("./teach-new-draft.js").Lecture} Lecture
 */

/** The chapter of a lecture. @param {Lecture} lecture @param {Chapter[]} chapters */
const chapterOf = (lecture, chapters) => /** @type {Chapter} */ (chapters.find((chapter) => chapter.lectures.includes(lecture)));

/** The list of an item. @param {Chapter | Lecture} item @param {Chapter[]} chapters @returns {(Chapter | Lecture)[]} */
const listOf = (item, chapters) => ("lectures" in item ? chapters : chapterOf(item, chapters).lectures);

/**
 * Moves an item by one place; a lecture at the end of its chapter goes to the chapter beside it.
 * Returns whether there was a place to go to.
 * @param {Chapter | Lecture} item @param {number} step -1 or 1 @param {Chapter[]} chapters
 */
export function moveBy(item, step, chapters) {
	const list = listOf(item, chapters);
	const from = list.indexOf(item);
	if (list[from + step]) {
		list.splice(from, 1);
		list.splice(from + step, 0, item);
		return true;
	}
	if ("lectures" in item) return false;
	const beside = chapters[chapters.indexOf(chapterOf(item, chapters)) + step];
	if (!beside) return false;
	list.splice(from, 1);
	if (step < 0) beside.lectures.push(item);
	else beside.lectures.unshift(item);
	return true;
}

/**
 * Moves an item before or after another of its kind; a lecture can also go to the end of a chapter.
 * @param {Chapter | Lecture} item @param {Chapter | Lecture} target @param {boolean} after @param {Chapter[]} chapters
 */
export function moveTo(item, target, after, chapters) {
	if (item === target) return;
	const from = listOf(item, chapters);
	from.splice(from.indexOf(item), 1);
	if (!("lectures" in item) && "lectures" in target) {
		target.lectures.push(item);
		return;
	}
	const to = listOf(target, chapters);
	to.splice(to.indexOf(target) + (after ? 1 : 0), 0, item);
}

/** Removes an item and returns the one beside it, or the chapter of a lecture that was the only one, or null. @param {Chapter | Lecture} item @param {Chapter[]} chapters */
export function remove(item, chapters) {
	const list = listOf(item, chapters);
	const at = list.indexOf(item);
	const parent = "lectures" in item ? null : chapterOf(item, chapters);
	list.splice(at, 1);
	return list[at] ?? list[at - 1] ?? parent;
}

/** The place of an item, in words. @param {Chapter | Lecture} item @param {Chapter[]} chapters */
export function placeOf(item, chapters) {
	const list = listOf(item, chapters);
	const place = `${list.indexOf(item) + 1} of ${list.length}`;
	if ("lectures" in item) return `chapter ${place}`;
	const chapter = chapterOf(item, chapters);
	return `lecture ${place} in chapter ${chapters.indexOf(chapter) + 1}${chapter.title ? `, ${chapter.title}` : ""}`;
}
