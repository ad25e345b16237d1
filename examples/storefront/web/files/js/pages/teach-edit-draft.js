// A course that is being edited: what the form shows of it, and what is sent.
import { toField } from "../components/local-time.js";
import { opensOf, termsOf } from "./course-terms.js";
import { editChanges } from "./edit-changes.js";
import { courseData, newAssignment } from "./teach-new-draft.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}">["course"]} Course */
/** @typedef {import("./teach-new-draft.js").Draft} Draft */
/** @typedef {ReturnType<typeof courseData>} Fields */

/** The fields of the API, as the form calls them and as people do. @type {Record<keyof Fields, [key: keyof Draft, text: string]>} */
const fields = {
	courseTitle: ["title", "the title"], courseDescription: ["description", "the description"], coursePrice: ["price", "the price"],
	prices: ["prices", "the prices in other currencies"], discount: ["discount", "the discount"], isPublished: ["published", "who can see it"], courseContent: ["chapters", "the content"], terms: ["terms", "the terms of access and of certificates"],
};

/** What the form shows before anything is typed. @param {Course} course @returns {Draft} */
const draftOf = (course) => ({
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

export const courseEdits = editChanges({ kind: "course", fields, draftOf, dataOf: courseData });

/** The changes of a course without the texts of lectures that are as before, which the server keeps: they may be long. @param {Course} course @param {Draft} draft */
export function sentOf(course, draft) {
	const changes = courseEdits.changesOf(course, draft);
	const before = new Map(course.courseContent.flatMap(({ chapterContent }) => chapterContent.map(({ lectureId, text }) => [lectureId, text])));
	for (const lecture of changes.courseContent?.flatMap(({ chapterContent }) => chapterContent) ?? []) if (lecture.text === before.get(lecture.lectureId)) delete lecture.text;
	return changes;
}
