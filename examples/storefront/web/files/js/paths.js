// The addresses of the pages.
import { session } from "./session.js";

/** The query of a list that is of one course. @param {string} courseId or "" */
const ofCourse = (courseId) => (courseId === "" ? "" : `?courseId=${encodeURIComponent(courseId)}`);

/** The addresses of pages that other pages link to. */
export const pathTo = {
	course: (/** @type {string} */ courseId) => `/courses/${encodeURIComponent(courseId)}`,
	checkout: (/** @type {string} */ courseId) => `/checkout/${encodeURIComponent(courseId)}`,
	bundle: (/** @type {string} */ bundleId) => `/bundles/${encodeURIComponent(bundleId)}`,
	/** The bundles that an educator or an administrator can change. */
	ownBundles: () => (session.role() === "admin" ? "/admin/bundles" : "/teach/bundles"),
	/** Editing one of them. */
	editBundle: (/** @type {string} */ bundleId) => `${pathTo.ownBundles()}/${encodeURIComponent(bundleId)}`,
	checkoutBundle: (/** @type {string} */ bundleId) => `/checkout/bundles/${encodeURIComponent(bundleId)}`,
	/** One purchase, for an administrator. */
	purchase: (/** @type {string} */ purchaseId) => `/admin/purchases/${encodeURIComponent(purchaseId)}`,
	/** The purchases of a student or of a course, for an administrator. */
	purchases: (/** @type {{userId: string} | {courseId: string}} */ of) => `/admin/purchases?${new URLSearchParams(of)}`,
	/** A user, for an administrator. */
	user: (/** @type {string} */ userId) => `/admin/users/${encodeURIComponent(userId)}`,
	/** The enrolments of a user, for an administrator. */
	enrolments: (/** @type {{userId: string}} */ of) => `/admin/enrolments?${new URLSearchParams(of)}`,
	/** What the staff has decided about a user, for an administrator. */
	decisions: (/** @type {{userId: string}} */ of) => `/admin/decisions?${new URLSearchParams(of)}`,
	learn: (/** @type {string} */ courseId) => `/learn/${encodeURIComponent(courseId)}`,
	/** A course as its educator shows it to students. */
	preview: (/** @type {string} */ courseId) => `${pathTo.learn(courseId)}?as=student`,
	/** What its educator has announced to the students of a course. */
	announcements: (/** @type {string} */ courseId) => `${pathTo.learn(courseId)}/announcements`,
	lecture: (/** @type {string} */ courseId, /** @type {string} */ lectureId) => `${pathTo.learn(courseId)}/lectures/${encodeURIComponent(lectureId)}`,
	quiz: (/** @type {string} */ courseId, /** @type {string} */ chapterId) => `${pathTo.learn(courseId)}/quiz/${encodeURIComponent(chapterId)}`,
	/** Editing a course, for its educator or an administrator. */
	edit: (/** @type {string} */ courseId) => `${session.role() === "admin" ? "/admin" : "/teach"}/courses/${encodeURIComponent(courseId)}`,
	/** Announcing something to its students, for them. */
	announce: (/** @type {string} */ courseId) => `${pathTo.edit(courseId)}/announcements`,
	/** Writing the quiz of a chapter, for them. */
	editQuiz: (/** @type {string} */ courseId, /** @type {string} */ chapterId) => `${pathTo.edit(courseId)}/quizzes/${encodeURIComponent(chapterId)}`,
	/** What students made of it. */
	quizResults: (/** @type {string} */ courseId, /** @type {string} */ chapterId) => `${pathTo.editQuiz(courseId, chapterId)}/results`,
	/** A student in a course, for them. */
	student: (/** @type {string} */ courseId, /** @type {string} */ userId) => `${pathTo.edit(courseId)}/students/${encodeURIComponent(userId)}`,
	/** The answers of a student in an attempt at a quiz, for them. */
	attempt: (/** @type {string} */ attemptId) => `${session.role() === "admin" ? "/admin" : "/teach"}/attempts/${encodeURIComponent(attemptId)}`,
	/** The students of a course, for its educator. */
	students: (/** @type {string} */ courseId) => `/teach/students${ofCourse(courseId)}`,
	/** What students have submitted in a course, for them, or in all courses of an educator. */
	submissions: (courseId = "") => (session.role() === "admin" ? "/admin/submissions" : "/teach/submissions") + ofCourse(courseId),
	/** One submission. courseId is that of the list from which it is opened. */
	submission: (/** @type {string} */ submissionId, courseId = "") => `${pathTo.submissions()}/${encodeURIComponent(submissionId)}${ofCourse(courseId)}`,
	group: (/** @type {string} */ groupId) => `/community?groupId=${encodeURIComponent(groupId)}`,
	post: (/** @type {string} */ postId) => `/community/posts/${encodeURIComponent(postId)}`,
	/** The sign-in that leads back to a page. @param {string} [next] without it, the current page */
	signIn: (next = location.pathname + location.search) => `/sign-in?next=${encodeURIComponent(next)}`,
};
