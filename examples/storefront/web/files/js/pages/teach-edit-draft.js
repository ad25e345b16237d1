// A course that is being edited: the state that it was loaded in, and the form on top of it. Only what
// differs is sent, so that two people who edit different fields of a course do not disturb each other.
import { session } from "../session.js";
import { toField } from "../components/local-time.js";
import { opensOf, termsOf } from "./course-terms.js";
import { courseData, newAssignment, store } from "./teach-new-draft.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}">["course"]} Course */
/** @typedef {import("./teach-new-draft.js").Draft} Draft */
/** @typedef {ReturnType<typeof courseData>} Fields */
/** base is the course as the server last sent it, draft what the form holds. @typedef {{base: Course, draft: Draft}} Edit */

/** The fields of the API, as the form calls them and as people do. @type {Record<keyof Fields, [key: keyof Draft, text: string]>} */
const names = {
	courseTitle: ["title", "the title"], courseDescription: ["description", "the description"], coursePrice: ["price", "the price"],
	prices: ["prices", "the prices in other currencies"], discount: ["discount", "the discount"], isPublished: ["published", "who can see it"], courseContent: ["chapters", "the content"], terms: ["terms", "the terms of access and of certificates"],
};

/** What the form shows before anything is typed. @param {Course} course @returns {Draft} */
export const draftOf = (course) => ({
	title: course.courseTitle, description: course.courseDescription, price: String(course.coursePrice), prices: (course.prices ?? []).map(({ currency, price }) => `${currency} ${price}`).join("\n"), discount: String(course.discount), published: course.isPublished,
	terms: termsOf(course.terms),
	chapters: course.courseContent.map((chapter) => ({
		id: chapter.chapterId, title: chapter.chapterTitle, opens: opensOf(chapter.opens),
		lectures: chapter.chapterContent.map(lectureOf),
	})),
});

/** The address of a file is left out: it is signed anew for each answer. @param {Course["courseContent"][number]["chapterContent"][number]} lecture @returns {import("./teach-new-draft.js").Lecture} */
function lectureOf({ lectureId, lectureTitle, lectureDuration, lectureUrl, isPreviewFree, kind, fileId, text = "", captions = [], attachments = [], assignment }) {
	const stored = (/** @type {string | undefined} */ id) => (id ? { id, name: "" } : null);
	return {
		id: lectureId, title: lectureTitle, minutes: String(lectureDuration), url: fileId ? "" : lectureUrl, free: isPreviewFree, kind: kind ?? "", file: stored(fileId), text,
		captions: captions.map(({ language, label, fileId: id }) => ({ language, label, file: stored(id) })),
		attachments: attachments.map(({ title, fileId: id }) => ({ title, file: stored(id) })),
		assignment: assignment ? assignmentOf(assignment) : newAssignment(),
	};
}

/** @param {NonNullable<Course["courseContent"][number]["chapterContent"][number]["assignment"]>} assignment @returns {import("./teach-new-draft.js").Assignment} */
function assignmentOf({ instructions, rubric, dueAfterDays, dueAt, lateDays, attempts, files }) {
	return {
		instructions, files, rubric: rubric.map(({ criterion, points }) => ({ criterion, points: String(points) })), due: dueAt ? "at" : dueAfterDays !== undefined ? "days" : "never",
		dueAfterDays: String(dueAfterDays ?? ""), dueAt: toField(dueAt), lateDays: lateDays ? String(lateDays) : "", attempts: String(attempts ?? ""),
	};
}

/** The changes of a course without the texts of lectures that are as before, which the server keeps: they may be long. @param {Course} course @param {Draft} draft */
export function sentOf(course, draft) {
	const changes = changesOf(course, draft);
	const before = new Map(course.courseContent.flatMap(({ chapterContent }) => chapterContent.map(({ lectureId, text }) => [lectureId, text])));
	for (const lecture of changes.courseContent?.flatMap(({ chapterContent }) => chapterContent) ?? []) if (lecture.text === before.get(lecture.lectureId)) delete lecture.text;
	return changes;
}

/** The fields of draft that differ from those of a course. @param {Course} course @param {Draft} draft @returns {Partial<Fields>} */
export function changesOf(course, draft) {
	const before = courseData(draftOf(course));
	return Object.fromEntries(Object.entries(courseData(draft)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(/** @type {any} */ (before)[name])));
}

/**
 * Puts what the form changes on top of a newer state of the course. both are the fields that the form
 * and the other change have changed, as people call them.
 * @param {Edit} edit @param {Course} current
 */
export function rebase({ base, draft }, current) {
	const mine = /** @type {(keyof Fields)[]} */ (Object.keys(changesOf(base, draft))), theirs = changesOf(base, draftOf(current)), differs = changesOf(current, draft);
	const merged = draftOf(current);
	for (const name of mine) /** @type {any} */ (merged)[names[name][0]] = draft[names[name][0]];
	return { edit: { base: current, draft: merged }, both: mine.filter((name) => name in theirs && name in differs).map((name) => names[name][1]) };
}

/** @param {string} courseId */
const key = (courseId) => `storefront.course.${session.writer()}.${courseId}`;

/** What was typed in this tab and not saved, or null. What a form of before did not have is as the course has it. @param {string} courseId @returns {Edit | null} */
export function readEdit(courseId) {
	try {
		const kept = JSON.parse(sessionStorage.getItem(key(courseId)) || "null");
		return kept && { ...kept, draft: { ...draftOf(kept.base), ...kept.draft } };
	} catch {
		return null;
	}
}

/** @param {Edit} edit */
export const keepEdit = (edit) => store(key(edit.base._id), edit);
/** @param {string} courseId */
export const forgetEdit = (courseId) => sessionStorage.removeItem(key(courseId));
