// The course of the player and of its quizzes: that of a student who is enrolled, or for its educator
// and for administrators a preview, which shows it as a student sees it and records nothing.
import { call } from "../api.js";

/** @typedef {import("../types").Answer<"GET /api/educator/courses/{courseId}">["course"]} PreviewedCourse */
/** A lecture; position is where a student was last in it, in seconds. @typedef {PreviewedCourse["courseContent"][number]["chapterContent"][number] & {position?: number, isLocked?: boolean, opensAt?: string | null, lockedBy?: "time" | "order"}} Lecture */
/** @typedef {Omit<PreviewedCourse["courseContent"][number], "chapterContent"> & {chapterContent: Lecture[]}} Chapter */
/** What both show of a course; lastLectureId is where a student was last. @typedef {Pick<PreviewedCourse, "_id" | "courseTitle"> & {courseContent: Chapter[], lastLectureId?: string | null}} Course */

/** The query of the addresses of a preview. @param {boolean} isPreview */
export const previewQuery = (isPreview) => (isPreview ? "?as=student" : "");

/** @param {URLSearchParams} query */
export const isPreviewed = (query) => query.get("as") === "student";

/** Reads a course with the addresses of its lectures, and the student's rating of it with what they wrote. @param {string} courseId @param {boolean} isPreview @returns {Promise<{course: Course, own: import("./course-rating.js").Own}>} */
export async function readCourse(courseId, isPreview) {
	const path = { courseId };
	if (isPreview) return { course: (await call("GET /api/educator/courses/{courseId}", { path })).course, own: { stars: null, review: null } };
	const { courseData: course, userRating: stars, userReview: review } = await call("GET /api/user/enrolled-courses/{courseId}", { path });
	return { course, own: { stars, review } };
}

/** The ids of the lectures that the student has done; none in a preview. @param {string} courseId @param {boolean} isPreview @returns {Promise<Set<string>>} */
export async function readDone(courseId, isPreview) {
	if (isPreview) return new Set();
	const { progressData } = await call("POST /api/user/get-course-progress", { body: { courseId } });
	return new Set(progressData?.lectureCompleted);
}

/** The chapter of a lecture. @param {Course} course @param {Lecture | undefined} lecture */
export const chapterOf = (course, lecture) => course.courseContent.find((chapter) => lecture !== undefined && chapter.chapterContent.includes(lecture));

/**
 * The next chapter with lectures, and the lecture with which to begin it: the first that is not done.
 * @param {Course} course @param {string} chapterId @param {Set<string>} done
 */
export function chapterAfter(course, chapterId, done) {
	const at = course.courseContent.findIndex((chapter) => chapter.chapterId === chapterId);
	const chapter = course.courseContent.slice(at + 1).find(({ chapterContent }) => chapterContent.length > 0);
	if (at < 0 || !chapter) return undefined;
	const lecture = chapter.chapterContent.find(({ lectureId }) => !done.has(lectureId)) ?? chapter.chapterContent[0];
	return { chapter, lecture };
}
