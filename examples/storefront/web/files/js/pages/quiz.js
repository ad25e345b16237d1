// The quiz of a chapter: its questions, then the result, and earlier attempts below. After it comes the
// next chapter. A quiz that needs an attempt which the server keeps, such as one with a time limit, is
// begun first.
import { fill, h, load } from "../dom.js";
import { call, ApiError } from "../api.js";
import { pathTo } from "../paths.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { trackVisit } from "../visit-time.js";
import { chapterAfter, isPreviewed, previewQuery, readCourse, readDone } from "../components/learning-course.js";
import { askedOf, quizForm } from "../components/quiz-form.js";
import { quizAttempt } from "../components/quiz-attempt.js";
import { readOutline, showMarked } from "../components/quiz-outline.js";
import { quizPreview } from "../components/quiz-preview.js";
import { attempts, quizResult, solvedOf } from "../components/quiz-result.js";
import { quizReview } from "../components/quiz-review.js";
import { solutions } from "../components/quiz-solutions.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {import("../components/quiz-form.js").Quiz} Quiz */
/** What the parts of the page share: onward makes the link to what comes after the quiz, earlier holds earlier attempts. @typedef {{onward: (kind: string) => HTMLElement, earlier: HTMLElement}} View */

export const title = "Quiz";
export const width = "narrow";

/** @param {import("../router.js").Visit} visit */
export function page({ params: { courseId, chapterId }, query, signal }) {
	const path = { courseId, chapterId }, isPreview = isPreviewed(query), attemptId = query.get("attempt");
	if (attemptId) return quizReview(path, attemptId);
	if (!isPreview) trackVisit("Quiz", `/quiz/${courseId}/${chapterId}`, signal);
	const heading = h("h1", {}, "Quiz"), course = h("a", { href: pathTo.learn(courseId) + previewQuery(isPreview) }, "Back to the course");
	const earlier = h("div", {}), next = readNext(courseId, chapterId, isPreview);
	const onward = (/** @type {string} */ kind) => load(() => next, (link) => h("a", { class: `button ${kind}`, href: link.href }, link.text), { placeholder: h("span") });
	const foot = h("div", { class: "quiz-onward" }, onward(""));
	const read = async () => {
		const found = await readQuiz(path, isPreview);
		const isEditor = found.isDenied && session.role() !== "student" && (await readCourse(courseId, true).then(() => true, () => false));
		if (isEditor && !signal.aborted) go(location.pathname + previewQuery(true), { replace: true });
		return found;
	};
	const show = (/** @type {Awaited<ReturnType<typeof readQuiz>>} */ { titles, quiz, written, outline, isDenied }, /** @type {() => void} */ reload) => {
		if (isDenied) {
			foot.hidden = true;
			if (outline) showMarked(earlier, path, outline);
			return noAccess(courseId, outline !== undefined);
		}
		if (!titles) {
			if (outline) showMarked(earlier, path, outline);
			return empty("No quiz here", "This chapter has no quiz. Go on with what comes next.");
		}
		fill(heading, "Quiz: ", h("bdi", {}, titles.chapterTitle));
		fill(course, h("bdi", {}, titles.courseTitle));
		if (written) return quizPreview(written.questions, written.settings);
		if (outline) {
			showMarked(earlier, path, outline);
			return quizAttempt({ path, outline, signal, onward, onResult: () => showMarked(earlier, path) });
		}
		showAttempts(earlier, path);
		return quiz && questions(quiz, { onward, earlier }, reload);
	};
	return [h("header", { class: "stack tight quiz-head" }, h("p", { class: "small" }, course), heading),
		load(read, show, { placeholder: opening() }), foot, earlier];
}

/** What is shown to a student who is not enrolled, or not any more. @param {string} courseId @param {boolean} hasAttempts */
const noAccess = (courseId, hasAttempts) => empty("You have no access to this quiz", `You are not enrolled in its course, or your enrolment has ended.${hasAttempts ? " Your attempts stay below." : ""} The page of the course says how you enrol.`,
	h("a", { class: "button primary", href: pathTo.course(courseId) }, "Open the page of the course"));

/**
 * Reads a quiz. quiz is one that is answered in one go; outline is of one at which the server keeps
 * attempts; written is for those who preview it. isDenied: the reader may not take it, and has
 * attempts if there is an outline. Without titles there is no quiz.
 * @param {{courseId: string, chapterId: string}} path @param {boolean} isPreview
 * @returns {Promise<{titles?: {courseTitle: string, chapterTitle: string}, quiz?: Quiz, written?: import("../components/quiz-preview.js").Written, outline?: import("../components/quiz-outline.js").Outline, isDenied?: boolean}>}
 */
async function readQuiz(path, isPreview) {
	if (isPreview) return readWritten(path);
	const outline = await readOutline(path).catch(ifDenied);
	if (!outline) return { isDenied: true };
	if (outline.quiz?.needsAttempt) {
		const { course: { courseTitle } } = await readCourse(path.courseId, false);
		return { titles: { courseTitle, chapterTitle: outline.quiz.chapterTitle }, outline };
	}
	const quiz = await readPlain(path).catch(ifDenied);
	if (quiz === null) return { isDenied: true, outline };
	return quiz ? { titles: quiz, quiz } : { outline };
}

/** Returns null if the caller is not enrolled. @param {unknown} error @returns {null} */
function ifDenied(error) {
	if (error instanceof ApiError && error.status === 403 && session.token()) return null;
	throw error;
}

/** Reads a quiz that is answered in one go. If the chapter has none, the AI writes it; undefined if it does not. @param {{courseId: string, chapterId: string}} path */
async function readPlain(path) {
	try {
		return (await call("GET /api/quiz/{courseId}/{chapterId}", { path })).quiz;
	} catch (error) {
		if (error instanceof ApiError && error.status === 404 && error.message === "Quiz not found") return undefined;
		throw error;
	}
}

/** Reads a quiz for a preview. @param {{courseId: string, chapterId: string}} path */
async function readWritten(path) {
	const { course } = await readCourse(path.courseId, true);
	const isStored = course.courseContent.some(({ chapterId, hasQuiz }) => chapterId === path.chapterId && hasQuiz);
	if (!isStored && !(await readPlain(path))) return {};
	const { quiz: written } = await call("GET /api/educator/courses/{courseId}/quizzes/{chapterId}", { path });
	return { titles: written, written };
}

/** What comes after the quiz: the next chapter, or the course if there is none. @param {string} courseId @param {string} chapterId @param {boolean} isPreview */
async function readNext(courseId, chapterId, isPreview) {
	const toCourse = { href: pathTo.learn(courseId) + previewQuery(isPreview), text: "Back to the course" };
	try {
		const [{ course }, done] = await Promise.all([readCourse(courseId, isPreview), readDone(courseId, isPreview)]);
		const next = chapterAfter(course, chapterId, done);
		return next ? { href: pathTo.lecture(courseId, next.lecture.lectureId) + previewQuery(isPreview), text: `Next chapter: ${next.chapter.chapterTitle}` } : toCourse;
	} catch (error) {
		if (error instanceof ApiError) return toCourse;
		throw error;
	}
}

/** What is shown in place of the quiz until it has arrived. The text appears when that takes longer than usual. */
const opening = () => h("div", { class: "state", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("h2", {}, "Opening the quiz"),
	h("p", { class: "late" }, "If you are the first to open it, its questions are written now. That takes up to a minute. You may leave this page; the quiz will be here when you come back."));

/** The form, and the result in its place once it is submitted. @param {Quiz} quiz @param {View} view @param {() => void} reload */
function questions(quiz, view, reload) {
	const box = h("div", { class: "stack" });
	const form = quizForm(quiz, async (answers) => {
		try {
			const { courseId, chapterId, version } = quiz;
			const { result } = await call("POST /api/quiz/submit", { body: { courseId, chapterId, version, answers } });
			showResult(box, quiz, view, result, reload);
		} catch (error) {
			if (!(error instanceof ApiError) || error.status !== 409) throw error;
			changed(reload);
		}
	});
	return fill(box, h("p", { class: "lead" }, "Choose one answer to each question. You can take the quiz as often as you like."), form);
}

/** @param {HTMLElement} box @param {Quiz} quiz @param {View} view @param {import("../types").Answer<"POST /api/quiz/submit">["result"]} result @param {() => void} reload */
function showResult(box, quiz, { onward, earlier }, result, reload) {
	const { courseId, chapterId } = quiz, again = h("button", { class: "button", type: "button", onclick: reload }, "Try again");
	const texts = (/** @type {unknown} */ index) => String(index); // the ids of askedOf
	const solved = result.questions && solvedOf(askedOf(quiz), result.questions.map((answered, i) => ({ ...answered, questionId: String(i), given: texts(answered.given), answer: texts(answered.answer) })));
	fill(box, quizResult(result, onward("primary"), again), solved && h("div", { class: "card pad stack" }, h("h2", {}, "Your answers"), solutions(solved)));
	showAttempts(earlier, { courseId, chapterId });
	document.getElementById("result")?.focus();
}

/** @param {HTMLElement} region @param {{courseId: string, chapterId: string}} path */
function showAttempts(region, path) {
	fill(region, load(() => call("GET /api/quiz/results/{courseId}/{chapterId}", { path }), ({ results }) => attempts(path, results)));
}

/** The educator has written the quiz anew since it was opened: the answers belong to other questions. @param {() => void} reload */
function changed(reload) {
	toast("The quiz has changed since you opened it. Your answers were not counted. These are the new questions.", "bad");
	reload();
}
