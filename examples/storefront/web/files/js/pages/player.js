// The player: a lecture with the outline of its course beside it. Without a lecture in the address
// it opens the next one that is not done.
import { fill, h } from "../dom.js";
import { call, ApiError } from "../api.js";
import { go, pathTo } from "../router.js";
import { trackVisit } from "../visit-time.js";
import { duration } from "../format.js";
import { actionButton } from "../components/button.js";
import { courseRating } from "../components/course-rating.js";
import { lectureView } from "../components/lecture.js";
import { doneCount, lectureList } from "../components/lecture-list.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** hasCertificate: whether the certificate was issued before the page was opened. @typedef {import("../components/lecture-list.js").Learning & {hasCertificate: boolean}} Learning */

let heading = "";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params, signal }) {
	const learning = await open(params.courseId, params.lectureId).catch((error) => notEnrolled(error, params.courseId));
	if (!learning) return [];
	trackVisit("Learning", `/player/${params.courseId}`, signal);
	heading = learning.current?.lectureTitle ?? learning.course.courseTitle;
	const foot = h("div", { class: "stack loose" }), side = h("div");
	const draw = () => {
		fill(foot, completed(learning), controls(learning, draw));
		fill(side, lectureList(learning));
	};
	draw();
	return h("div", { class: "beside player" },
		h("div", { class: "stack loose" }, head(learning), content(learning), foot),
		h("aside", { class: "stack" }, side, courseRating(learning.course._id, learning.userRating)));
}

/** Reads all that the page needs. @param {string} courseId @param {string} [lectureId] */
async function open(courseId, lectureId) {
	const [{ courseData: course, userRating }, { progressData }, { results }] = await Promise.all([
		call("GET /api/user/enrolled-courses/{courseId}", { path: { courseId } }),
		call("POST /api/user/get-course-progress", { body: { courseId } }),
		call("GET /api/quiz/course-results/{courseId}", { path: { courseId } }),
	]);
	const lectures = course.courseContent.flatMap((chapter) => chapter.chapterContent), done = new Set(progressData?.lectureCompleted);
	const next = lectures.find((lecture) => !done.has(lecture.lectureId)) ?? lectures[0];
	/** @type {Map<string, number>} */
	const best = new Map();
	for (const { chapterId, percentage } of results) best.set(chapterId, Math.max(percentage, best.get(chapterId) ?? 0));
	const isComplete = lectures.every((lecture) => done.has(lecture.lectureId));
	const hasCertificate = isComplete && (await call("GET /api/user/certificate/check/{courseId}", { path: { courseId } })).certificateExists;
	return { course, lectures, done, best, userRating, hasCertificate, current: lectureId === undefined ? next : lectures.find((lecture) => lecture.lectureId === lectureId) };
}

/** Leads a reader who is not enrolled to the page of the course. @param {unknown} error @param {string} courseId */
function notEnrolled(error, courseId) {
	if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404)) throw error;
	toast("Enrol in this course first, then its lectures open.", "bad");
	go(pathTo.course(courseId), { replace: true });
	return null;
}

/** @param {Learning} learning */
function head({ course, lectures, current }) {
	const chapter = course.courseContent.find((c) => current && c.chapterContent.includes(current));
	return h("header", { class: "stack tight" },
		h("p", { class: "small" }, h("a", { href: pathTo.course(course._id) }, h("bdi", {}, course.courseTitle))),
		h("h1", {}, h("bdi", {}, heading)),
		current && chapter && h("p", { class: "muted small" }, h("bdi", {}, chapter.chapterTitle), ` · Lecture ${lectures.indexOf(current) + 1} of ${lectures.length} · ${duration(current.lectureDuration)}`));
}

/** @param {Learning} learning */
function content({ course, current }) {
	if (!current) return empty("This lecture is not part of the course", "It may have been removed. Go on with another one.", h("a", { class: "button primary", href: pathTo.learn(course._id) }, "Open the next lecture"));
	if (!current.lectureUrl) return empty("This lecture has no content yet", "Ask its educator in the community, and go on with the next one.", h("a", { class: "button", href: "/community" }, "Open the community"));
	return lectureView(current);
}

/** The buttons below a lecture. @param {Learning} learning @param {() => void} draw */
function controls(learning, draw) {
	const { course, lectures, done, current } = learning;
	if (!current) return null;
	const at = lectures.indexOf(current), isDone = done.has(current.lectureId);
	const step = (/** @type {number} */ to, /** @type {string} */ text, /** @type {string} */ kind) => lectures[to] && h("a", { class: `button ${kind}`, href: pathTo.lecture(course._id, lectures[to].lectureId), "aria-label": `${text}: ${lectures[to].lectureTitle}` }, text);
	return h("div", { class: "row spread player-controls" },
		isDone ? h("span", { class: "badge good" }, "✓ Done") : actionButton(openAfter(learning) ? "Mark as done and go on" : "Mark as done", () => markDone(learning, draw), { kind: "primary" }),
		h("div", { class: "row" }, step(at - 1, "Previous", ""), step(at + 1, "Next", isDone ? "primary" : "")));
}

/** The lecture to open after the current one is done: the next one that is not, from there on or from the beginning. @param {Learning} learning */
function openAfter({ lectures, done, current }) {
	if (!current) return undefined;
	const open = lectures.filter((lecture) => lecture !== current && !done.has(lecture.lectureId));
	return open.find((lecture) => lectures.indexOf(lecture) > lectures.indexOf(current)) ?? open[0];
}

/** @param {Learning} learning @param {() => void} draw */
async function markDone(learning, draw) {
	const { course, done, current } = learning;
	if (!current) return;
	await call("POST /api/user/update-course-progress", { body: { courseId: course._id, lectureId: current.lectureId } });
	done.add(current.lectureId);
	const next = openAfter(learning);
	if (next) await go(pathTo.lecture(course._id, next.lectureId));
	else draw();
	if (!next) document.getElementById("completed")?.focus();
}

/** What is shown below the lectures of a completed course. @param {Learning} learning */
function completed(learning) {
	if (doneCount(learning) < learning.lectures.length) return null;
	return h("section", { class: "notice good stack" },
		h("h2", { id: "completed", tabIndex: -1 }, "Course completed"),
		h("p", {}, "Every lecture is done. The certificate is yours."),
		h("div", {}, learning.hasCertificate ? h("a", { class: "button primary", href: "/learn/certificates" }, "Show your certificate") : getCertificate(learning.course._id)));
}

/** @param {string} courseId */
const getCertificate = (courseId) => actionButton("Get your certificate", async () => {
	await call("POST /api/user/certificate/generate/{courseId}", { path: { courseId } });
	await go("/learn/certificates");
}, { kind: "primary" });
