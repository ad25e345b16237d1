// The page of a course: what it teaches, who teaches it, and what it costs.
import { fill, h, load } from "../dom.js";
import { allCourses, ApiError, call, forgetCourses } from "../api.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";
import { count, day, duration, finalPrice, price } from "../format.js";
import { enrolledIn, openOrder } from "../purchase.js";
import { avatar, courseCard, priceTag, thumbnail } from "../components/card.js";
import { kindName } from "../components/lecture-kind.js";
import { outline } from "../components/outline.js";
import { actionWithProblem } from "../components/problem.js";
import { prose } from "../components/prose.js";
import { reviews } from "../components/reviews.js";
import { stars } from "../components/stars.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {import("../components/outline.js").CourseDetail} CourseDetail */

let heading = "Course";
export const title = () => heading;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { courseId }, signal }) {
	try {
		const { courseData: course } = await call("GET /api/course/{id}", { path: { id: courseId }, signal });
		heading = course.courseTitle;
		return [h("div", { class: "course" }, head(course), aside(course, signal), body(course)), others(course)];
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		heading = "Course not found";
		return notFound();
	}
}

const notFound = () => [h("h1", { class: "visually-hidden" }, "Course not found"),
	empty("This course is not offered", "It may have been withdrawn, or the link may be incomplete. If you are enrolled, it is still in My learning.",
		h("div", { class: "row" }, h("a", { class: "button primary", href: "/" }, "See all courses"), session.token() && h("a", { class: "button", href: "/learn" }, "My learning")))];

/** @param {CourseDetail} course */
function head(course) {
	const students = course.totalEnrolledStudents;
	return h("header", { class: "course-head stack" },
		h("h1", {}, h("bdi", {}, course.courseTitle)),
		h("div", { class: "row" }, avatar(course.educatorId), h("span", {}, "by ", h("bdi", {}, course.educatorId.name))),
		h("p", { class: "row" }, stars(course), h("span", { class: "muted small" }, students > 0 ? count(students, "student") : "Be the first to take it")));
}

/** The price, what is included, and the button for the next step. @param {CourseDetail} course @param {AbortSignal} signal */
function aside(course, signal) {
	return h("aside", { class: "card course-offer", "aria-label": "Price and enrolment" }, thumbnail(course, true),
		h("div", { class: "stack" }, h("p", { class: "offer-price" }, priceTag(course)), action(course, signal),
			h("ul", { class: "plain-list stack tight small benefits" }, benefits(course).map((text) => h("li", {}, text)))));
}

/** @param {CourseDetail} course */
const benefits = (course) => [
	`${count(course.totalLectures, "lecture")}, ${duration(course.totalDurationMinutes)} in all`,
	...quizzes(course),
	...assignments(course),
	"A certificate that everyone can verify",
	"A tutor and a community for questions",
	"Yours for as long as you like",
];

/** The quizzes that there are. @param {CourseDetail} course */
function quizzes({ courseContent }) {
	const all = courseContent.filter(({ hasQuiz }) => hasQuiz).length;
	if (all === 0) return [];
	return [all > 1 && all === courseContent.length ? `A quiz after each of ${count(all, "chapter")}` : all === 1 ? "A quiz" : count(all, "quiz", "quizzes")];
}

/** @param {CourseDetail} course */
function assignments({ courseContent }) {
	const all = courseContent.flatMap(({ chapterContent }) => chapterContent).filter(({ kind }) => kind === "assignment").length;
	return all > 0 ? [`${count(all, "assignment")} that the educator grades`] : [];
}

/** What the certificate asks, so that nobody learns it after having bought. @param {CourseDetail} course */
function certificateTerms({ terms }) {
	const asked = ["every lecture is done", terms?.certificate?.quizzes && "every quiz that the educator has written is passed", terms?.certificate?.assignments && "every assignment is graded"].filter((each) => typeof each === "string");
	return h("p", {}, h("strong", {}, "For the certificate: "), asked.length > 1 ? `${asked.slice(0, -1).join(", ")} and ${asked.at(-1)}.` : `${asked[0]}.`);
}

/** What one buys: how long the access lasts, how the lectures open, and what must be completed before. @param {CourseDetail} course */
function accessTerms({ terms, requires = [] }) {
	const { days, until, inOrder } = terms ?? {};
	const said = [days && `Access lasts ${count(days, "day")}.`, until && `Access ends on ${day(until)} at the latest.`, inOrder && "Lectures open one after the other."].filter((each) => typeof each === "string");
	return [
		said.length > 0 && h("p", {}, h("strong", {}, "Access: "), said.join(" ")),
		requires.length > 0 && h("p", {}, h("strong", {}, "Complete first: "), requires.flatMap((course, i) => [i > 0 ? ", " : "", h("a", { href: pathTo.course(course.courseId) }, h("bdi", {}, course.courseTitle))])),
	];
}

/** How many lectures there are of each kind, if their kinds are known. @param {CourseDetail} course */
function kindsOf({ courseContent }) {
	/** @type {Map<string, number>} */
	const all = new Map();
	for (const { kind } of courseContent.flatMap(({ chapterContent }) => chapterContent)) if (kind) all.set(kindName(kind), 1 + (all.get(kindName(kind)) ?? 0));
	return all.size > 0 && h("ul", { class: "plain-list row small lecture-kinds", "aria-label": "Kinds of lectures" }, [...all].map(([name, n]) => h("li", { class: "badge" }, n > 1 ? `${name} (${n})` : name)));
}

/** The next step, which depends on the reader. @param {CourseDetail} course @param {AbortSignal} signal */
function action(course, signal) {
	if (!session.token()) return visitorAction(course);
	if (course.educatorId._id === session.person()?.userId && session.role() !== "student") return ownAction(course);
	const placeholder = h("div", { class: "skeleton offer-placeholder", role: "status" }, h("span", { class: "visually-hidden" }, "Loading…"));
	return load(() => enrolledIn(signal), (enrolled) => {
		const box = h("div", { class: "stack tight", role: "status" });
		return fill(box, enrolled.has(course._id) ? enrolledAction(course) : studentAction(course, box));
	}, { placeholder });
}

/** What an educator does with a course of their own. @param {CourseDetail} course */
const ownAction = (course) => h("div", { class: "stack tight" }, h("p", { class: "small" }, h("span", { class: "badge accent" }, "You teach this course")),
	h("a", { class: "button primary wide", href: pathTo.edit(course._id) }, "Edit the course"),
	h("a", { class: "button wide", href: pathTo.preview(course._id) }, "View as a student"));

/** @param {CourseDetail} course */
function visitorAction(course) {
	return h("a", { class: "button primary wide", href: pathTo.signIn(pathTo.checkout(course._id)) }, finalPrice(course) === 0 ? "Sign in to enrol for free" : "Sign in to buy");
}

/** @param {CourseDetail} course */
const enrolledAction = (course) => [h("p", { class: "small" }, h("span", { class: "badge good" }, "You are enrolled")),
	h("a", { class: "button primary wide", href: pathTo.learn(course._id) }, "Continue learning")];

/** @param {CourseDetail} course @param {HTMLElement} box */
function studentAction(course, box) {
	const final = finalPrice(course);
	if (final > 0) return h("a", { class: "button primary wide", href: pathTo.checkout(course._id) }, `Buy for ${price(final)}`);
	return actionWithProblem("Enrol for free", async () => {
		await openOrder({ courseId: course._id });
		forgetCourses();
		fill(box, enrolledAction(course)).querySelector("a")?.focus();
		toast(`You are enrolled in ${course.courseTitle}`);
	}, { kind: "primary wide" });
}

/** @param {CourseDetail} course */
function body(course) {
	return h("div", { class: "course-body" },
		h("section", {}, h("h2", { class: "visually-hidden" }, "About this course"), prose(course.courseDescription)),
		h("section", {}, h("div", { class: "section-head" }, h("h2", {}, "Content"),
			h("p", { class: "muted small" }, `${count(course.courseContent.length, "chapter")}, ${count(course.totalLectures, "lecture")}, ${duration(course.totalDurationMinutes)}`)),
			kindsOf(course), outline(course.courseContent), h("div", { class: "stack tight small certificate-terms" }, accessTerms(course), certificateTerms(course))), reviews(course));
}

/** Up to three other courses of the same educator; nothing if there are none. @param {CourseDetail} course */
function others({ _id, educatorId }) {
	return load(allCourses, (courses) => {
		const more = courses.filter((c) => c.educatorId._id === educatorId._id && c._id !== _id).slice(0, 3);
		return more.length > 0 && h("section", { class: "more-courses" }, h("h2", { class: "row" }, avatar(educatorId), h("span", {}, "More by ", h("bdi", {}, educatorId.name))), h("div", { class: "grid" }, more.map((c) => courseCard(c))));
	}, { placeholder: h("div") });
}
