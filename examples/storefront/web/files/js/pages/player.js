// The player: a lecture with the outline of its course beside it. Without a lecture in the address
// it opens the one where the student was last, or the next one that is not done. After the last
// lecture of a chapter comes its quiz.
import { fill, h } from "../dom.js";
import { call, ApiError } from "../api.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { trackVisit } from "../visit-time.js";
import { duration } from "../format.js";
import { actionButton } from "../components/button.js";
import { assignmentWork } from "../components/assignment.js";
import { courseRating } from "../components/course-rating.js";
import { chapterOf, isPreviewed, previewQuery, readCourse, readDone } from "../components/learning-course.js";
import { lectureParts } from "../components/lecture.js";
import { doneCount, lectureList, linksOf } from "../components/lecture-list.js";
import { lectureTutor } from "../components/lecture-tutor.js";
import { lockedLecture, whyClosed } from "../components/locked.js";
import { missingList } from "../components/missing.js";
import { empty } from "../components/states.js";
import { notesPanel } from "../components/notes.js";
import { questions } from "../components/questions.js";
import { tabs } from "../components/tabs.js";
import { toast } from "../components/toast.js";
import { upNext } from "../components/up-next.js";

/** check is what the certificate asks, once every lecture is done. @typedef {import("../types").Answer<"GET /api/user/certificate/check/{courseId}">} Check */
/** @typedef {import("../components/lecture-list.js").Learning & {check: Check | null}} Learning */

let heading = "", refusal = ""; // refusal is why the last course did not open, in the words of the server
/** The name under which this tab keeps what is shown beside a lecture: the content, the notes or the tutor. */
const besideKey = "storefront.beside-lecture";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { courseId, lectureId }, query, signal }) {
	const isPreview = isPreviewed(query);
	const learning = isPreview ? await preview(courseId, lectureId) : await open(courseId, lectureId).catch(ifNotEnrolled);
	const former = learning?.current ? null : await formerWork(courseId, lectureId, signal);
	if (!learning) return former ? formerPage(courseId, former) : notEnrolled(courseId);
	if (!isPreview) trackVisit("Learning", `/player/${courseId}`, signal);
	heading = learning.current?.lectureTitle ?? learning.course.courseTitle;
	const foot = h("div", { class: "stack loose" }), side = h("div");
	const draw = () => {
		fill(foot, completed(learning), controls(learning, draw));
		fill(side, lectureList(learning));
	};
	draw();
	/** @type {HTMLMediaElement | null} */
	let player = null;
	const { first, more } = content(learning, { signal, from: Number(query.get("at")) || undefined, onPlayer: (shown) => { player = shown; } });
	const target = player && afterwards(learning), current = learning.current;
	// On a phone the parts stand below each other in this order.
	return h("div", { class: "beside player" },
		h("div", { class: "stack loose player-first" }, isPreview && previewNotice(courseId), head(learning), first, player && target && upNext(player, target, signal), former, foot),
		h("aside", { class: "stack" }, isPreview ? side : withNotes(side, learning, player, signal)),
		h("div", { class: "stack loose player-more" }, more, current && questions({ courseId, lectureId: current.lectureId }), !isPreview && courseRating(courseId, learning.own)));
}

/** What comes after a film or a sound: the quiz of its chapter or the next lecture. Going on marks the lecture as done, as the button below it does. @param {Learning} learning @returns {import("../components/up-next.js").Target | undefined} */
function afterwards(learning) {
	const { course, lectures, done, current, isPreview } = learning;
	if (!current) return undefined;
	const quiz = quizAfter(learning), next = lectures[lectures.indexOf(current) + 1], links = linksOf(learning);
	if (!quiz && !next) return undefined;
	const isMarked = !isPreview && !done.has(current.lectureId);
	return { title: quiz ? `quiz: ${quiz.chapterTitle}` : next.lectureTitle, isMarked, open: async () => {
		if (isMarked && !done.has(current.lectureId)) await call("POST /api/user/update-course-progress", { body: { courseId: course._id, lectureId: current.lectureId } });
		await go(quiz ? links.quiz(quiz) : links.lecture(next));
	} };
}

/** The content of the course, the notes and the tutor, one of them at a time. @param {HTMLElement} side @param {Learning} learning @param {HTMLMediaElement | null} player @param {AbortSignal} leave */
function withNotes(side, { course, lectures, current }, player, leave) {
	if (!current) return side;
	const titles = new Map(lectures.map(({ lectureId, lectureTitle }) => [lectureId, lectureTitle]));
	/** @type {HTMLElement | undefined} */
	let notes;
	/** @type {HTMLElement | undefined} */
	let tutor;
	return tabs("Beside the lecture", [
		{ name: "content", text: "Content", show: () => side },
		{ name: "notes", text: "Notes", show: () => (notes ??= notesPanel({ courseId: course._id, lectureId: current.lectureId, titles, player })) },
		{ name: "tutor", text: "Tutor", show: () => (tutor ??= lectureTutor({ courseId: course._id, lectureId: current.lectureId, player, leave })) },
	], { chosen: sessionStorage.getItem(besideKey) ?? "content", onchange: (name) => sessionStorage.setItem(besideKey, name) });
}

/** Reads all that the page of a student needs. @param {string} courseId @param {string} [lectureId] @returns {Promise<Learning & {own: import("../components/course-rating.js").Own}>} */
async function open(courseId, lectureId) {
	const [{ course, own }, done, { results }] = await Promise.all([
		readCourse(courseId, false), readDone(courseId, false), call("GET /api/quiz/course-results/{courseId}", { path: { courseId } }),
	]);
	/** @type {Map<string, number>} */
	const best = new Map();
	for (const { chapterId, percentage } of results) best.set(chapterId, Math.max(percentage, best.get(chapterId) ?? 0));
	const { lectures, current } = lecturesOf(course, done, lectureId);
	const check = lectures.every((lecture) => done.has(lecture.lectureId)) ? await readCheck(courseId) : null;
	return { course, lectures, done, best, own, check, current, isPreview: false };
}

/** @param {string} courseId */
const readCheck = (courseId) => call("GET /api/user/certificate/check/{courseId}", { path: { courseId } });

/** The course as a student sees it who begins. @param {string} courseId @param {string} [lectureId] @returns {Promise<Learning & {own: import("../components/course-rating.js").Own}>} */
async function preview(courseId, lectureId) {
	const { course, own } = await readCourse(courseId, true);
	const done = await readDone(courseId, true);
	return { course, ...lecturesOf(course, done, lectureId), done, best: new Map(), own, check: null, isPreview: true };
}

/** All lectures of a course, and the one to show: without an id the last one that the student opened, or the first that is not done. @param {import("../components/learning-course.js").Course} course @param {Set<string>} done @param {string} [lectureId] */
function lecturesOf({ courseContent, lastLectureId }, done, lectureId) {
	const lectures = courseContent.flatMap((chapter) => chapter.chapterContent);
	const isOpen = (/** @type {import("../components/learning-course.js").Lecture} */ lecture) => !done.has(lecture.lectureId) && !lecture.isLocked;
	const next = lectures.find((lecture) => lecture.lectureId === lastLectureId && isOpen(lecture)) ?? lectures.find(isOpen) ?? lectures.find((lecture) => !done.has(lecture.lectureId)) ?? lectures[0];
	return { lectures, current: lectureId === undefined ? next : lectures.find((lecture) => lecture.lectureId === lectureId) };
}

/** @param {string} courseId */
const previewNotice = (courseId) => h("p", { class: "notice warn row spread" }, h("span", {}, "You see the course as a student does. Nothing that you do here is recorded."),
	h("a", { class: "button small", href: pathTo.edit(courseId) }, "Edit the course"));

/** What a student did in an assignment that is closed to them now, because it was removed or the enrolment has ended; null if that is nothing. @param {string} courseId @param {string | undefined} lectureId @param {AbortSignal} signal */
async function formerWork(courseId, lectureId, signal) {
	const work = lectureId && (await call("GET /api/user/assignments/{courseId}/{lectureId}", { path: { courseId, lectureId }, signal }).catch(() => null));
	return work ? assignmentWork({ courseId, lectureId }, signal) : null;
}

/** @param {string} courseId @param {HTMLElement} former */
function formerPage(courseId, former) {
	heading = "Your work";
	return h("div", { class: "stack loose" }, h("header", { class: "stack tight" }, h("p", { class: "small" }, h("a", { href: pathTo.course(courseId) }, "The page of the course")), h("h1", {}, heading)), former);
}

/** Returns null if the reader is not enrolled, or if the access has ended. @param {unknown} error @returns {null} */
function ifNotEnrolled(error) {
	if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404)) throw error;
	refusal = error.message;
	return null;
}

/** Leads a reader who is not enrolled to the preview if they may edit the course, and else to its page. @param {string} courseId */
async function notEnrolled(courseId) {
	if (session.role() !== "student" && (await readCourse(courseId, true).catch(() => null))) {
		go(location.pathname + previewQuery(true), { replace: true });
		return [];
	}
	toast(whyClosed(refusal), "bad");
	go(pathTo.course(courseId), { replace: true });
	return [];
}

/** @param {Learning} learning */
function head({ course, lectures, current, isPreview }) {
	const chapter = chapterOf(course, current);
	return h("header", { class: "stack tight" },
		h("p", { class: "small" }, h("a", { href: pathTo.course(course._id) }, h("bdi", {}, course.courseTitle)), !isPreview && [" · ", h("a", { href: pathTo.announcements(course._id) }, "Announcements")]),
		h("h1", {}, h("bdi", {}, heading)),
		current && chapter && h("p", { class: "muted small" }, h("bdi", {}, chapter.chapterTitle), ` · Lecture ${lectures.indexOf(current) + 1} of ${lectures.length} · ${duration(current.lectureDuration)}`));
}

/** @param {Learning} learning @param {{signal: AbortSignal, from?: number, onPlayer: (player: HTMLMediaElement) => void}} options from is the second to begin at, in place of the one where the student stopped @returns {ReturnType<typeof lectureParts>} */
function content({ course, current, isPreview }, { signal, from, onPlayer }) {
	if (!current) return { first: empty("This lecture is not part of the course", "It may have been removed. Go on with another one.", h("a", { class: "button primary", href: pathTo.learn(course._id) }, "Open the next lecture")), more: null };
	if (current.isLocked) return { first: lockedLecture(current, course._id), more: null };
	if (!isPreview && current.lectureId !== course.lastLectureId) savePosition(course._id, current.lectureId, current.position ?? 0);
	if (!current.lectureUrl && !current.text && !current.attachments?.length && !current.assignment) return { first: empty("This lecture has no content yet", "Ask its educator in the community, and go on with the next one.", h("a", { class: "button", href: "/community" }, "Open the community")), more: null };
	const at = (/** @type {number} */ seconds, /** @type {boolean} */ isLast) => savePosition(course._id, current.lectureId, seconds, isLast);
	return lectureParts(current, isPreview ? { onPlayer } : { watching: { from: from ?? current.position ?? 0, at, signal }, onPlayer, work: { courseId: course._id, signal } });
}

/** Tells the server where the student is. If it fails, the next position may arrive. @param {string} courseId @param {string} lectureId @param {number} seconds @param {boolean} [keepalive] */
function savePosition(courseId, lectureId, seconds, keepalive = false) {
	call("PUT /api/user/position", { body: { courseId, lectureId, seconds }, keepalive }).catch(() => {});
}

/** The buttons below a lecture. @param {Learning} learning @param {() => void} draw */
function controls(learning, draw) {
	const { lectures, done, current, isPreview } = learning;
	if (!current) return null;
	const at = lectures.indexOf(current), isDone = done.has(current.lectureId), links = linksOf(learning), quiz = quizAfter(learning);
	const button = (/** @type {string} */ href, /** @type {string} */ text, /** @type {string} */ name, /** @type {string} */ kind) => h("a", { class: `button ${kind}`, href, "aria-label": `${text}: ${name}` }, text);
	const step = (/** @type {number} */ to, /** @type {string} */ text, /** @type {string} */ kind) => lectures[to] && button(links.lecture(lectures[to]), text, lectures[to].lectureTitle, kind);
	const kind = isDone || isPreview ? "primary" : "";
	return h("div", { class: "row spread player-controls" }, isPreview || current.isLocked ? h("span") : doneButton(learning, draw),
		h("div", { class: "row" }, step(at - 1, "Previous", ""), quiz ? button(links.quiz(quiz), "Next: quiz", quiz.chapterTitle, kind) : step(at + 1, "Next", kind)));
}

/** @param {Learning} learning @param {() => void} draw */
function doneButton(learning, draw) {
	if (learning.current?.kind === "assignment") return learning.done.has(learning.current.lectureId) ? h("span", { class: "badge good" }, "✓ Done") : h("span", { class: "muted small" }, "Done when your work is graded");
	if (learning.current && learning.done.has(learning.current.lectureId)) return h("div", { class: "row" }, h("span", { class: "badge good" }, "✓ Done"), actionButton("Not done yet", () => takeBack(learning, draw), { kind: "quiet small" }));
	const text = !openAfter(learning) ? "Mark as done" : quizAfter(learning) ? "Mark as done and take the quiz" : "Mark as done and go on";
	return actionButton(text, () => markDone(learning, draw), { kind: "primary" });
}

/** The chapter whose quiz comes next: it has one, the current lecture is its last, and the student has not taken the quiz. @param {Learning} learning */
function quizAfter({ course, current, best }) {
	const chapter = chapterOf(course, current);
	return chapter?.hasQuiz && chapter.chapterContent.at(-1) === current && !best.has(chapter.chapterId) ? chapter : undefined;
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
	const next = openAfter(learning), quiz = quizAfter(learning), links = linksOf(learning);
	if (next) await go(quiz ? links.quiz(quiz) : links.lecture(next));
	else {
		learning.check = await readCheck(course._id);
		draw();
	}
	if (!next) document.getElementById("completed")?.focus();
}

/** Takes the mark of a lecture back. A certificate that was issued stays. @param {Learning} learning @param {() => void} draw */
async function takeBack({ course, done, current }, draw) {
	if (!current) return;
	await call("POST /api/user/update-course-progress", { body: { courseId: course._id, lectureId: current.lectureId, completed: false } });
	done.delete(current.lectureId);
	draw();
	toast("The lecture is not marked as done any more.");
}

/** What is shown below the lectures of a completed course. @param {Learning} learning */
function completed(learning) {
	if (learning.isPreview || doneCount(learning) < learning.lectures.length) return null;
	const { course, check } = learning, isOpen = check && !check.certificateExists && !check.eligible;
	return h("section", { class: "notice good stack" },
		h("h2", { id: "completed", tabIndex: -1 }, "Course completed"),
		h("p", {}, isOpen ? "Every lecture is done. For the certificate this is missing:" : "Every lecture is done. The certificate is yours."),
		isOpen ? missingList(course._id, check.missing) : h("div", {}, check?.certificateExists ? h("a", { class: "button primary", href: "/learn/certificates" }, "Show your certificate") : getCertificate(course._id)));
}

/** @param {string} courseId */
const getCertificate = (courseId) => actionButton("Get your certificate", async () => {
	await call("POST /api/user/certificate/generate/{courseId}", { path: { courseId } });
	await go("/learn/certificates");
}, { kind: "primary" });
