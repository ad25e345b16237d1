// The time that the student has spent: in all, by day, by course and by page.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { count, duration, number, weekday } from "../format.js";
import { figures } from "../components/figures.js";
import { learningHead } from "../components/learning-head.js";
import { plot } from "../components/plot.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/user/analytics">["analytics"]} Analytics */
/** @typedef {Analytics["courseBreakdown"][number]} Course */

export const title = "My time";

export const page = () => [
	...learningHead("My time", "The time that these pages were open and in view."),
	load(() => call("GET /api/user/analytics"), ({ analytics }) => (analytics.totalSessions === 0 ? nothing() : [summary(analytics), byDay(analytics), h("div", { class: "time-parts" }, byCourse(analytics.courseBreakdown), byPage(analytics))])),
];

const nothing = () => empty("No time yet", "Open a lecture: the time that you learn is counted from then on.", h("a", { class: "button primary", href: "/learn" }, "Open my courses"));

/** @param {number} seconds */
const minutes = (seconds) => Math.round(seconds / 60);

/** @param {Analytics} analytics */
function summary({ totalDuration, totalSessions, dailyStats, courseBreakdown }) {
	const week = dailyStats.reduce((sum, day) => sum + day.duration, 0), quizzes = courseBreakdown.reduce((sum, course) => sum + course.totalQuizDuration, 0);
	return figures([
		{ label: "In all", value: duration(minutes(totalDuration)) },
		{ label: "Last seven days", value: duration(minutes(week)) },
		{ label: "At quizzes", value: duration(minutes(quizzes)) },
		{ label: "Visits", value: number(totalSessions) },
	]);
}

/** @param {Analytics} analytics */
const byDay = ({ dailyStats }) => part("By day", plot({ title: "Last seven days", unit: "Minutes", labels: "Day (UTC)", kind: "columns", rows: dailyStats.map((d) => ({ label: weekday(d.date), value: minutes(d.duration) })) }));

/** @param {Course[]} courses */
const byCourse = (courses) => courses.length > 0 && part("By course",
	plot({ title: "Lectures and quizzes", unit: "Time", labels: "Course", kind: "bars", format: duration, rows: courses.map((c) => ({ label: c.courseTitle, value: minutes(c.learningDuration + c.totalQuizDuration) })) }),
	h("ul", { class: "list course-times" }, courses.map(courseTime)));

/** @param {Course} course */
const courseTime = (course) => h("li", {},
	h("h3", {}, h("a", { href: pathTo.learn(course.courseId) }, h("bdi", {}, course.courseTitle))),
	h("p", { class: "muted small" }, `Lectures: ${duration(minutes(course.learningDuration))} in ${count(course.learningSessions, "visit")}`),
	course.chapters.map((chapter) => h("p", { class: "muted small" }, "Quiz “", h("bdi", {}, chapter.chapterTitle), `”: ${duration(minutes(chapter.quizDuration))} in ${count(chapter.quizSessions, "visit")}`)));

/** @param {Analytics} analytics */
const byPage = ({ pageStats }) => pageStats.length > 0 && part("By page", plot({ title: "Every page that counts", unit: "Time", labels: "Page", kind: "bars", format: duration, rows: pageStats.map((p) => ({ label: `${pageNames[p.page] ?? p.page}, ${count(p.visits, "visit")}`, value: minutes(p.totalDuration) })) }));

/** Names that other front ends give their pages, in the words of this one. @type {Record<string, string>} */
const pageNames = { "AI Chat": "Tutor", "My Enrollments": "My courses", Learning: "Lectures", Quiz: "Quizzes" };

/** @param {string} heading @param {...any} content */
const part = (heading, ...content) => h("section", {}, h("div", { class: "section-head" }, h("h2", {}, heading)), h("div", { class: "card pad stack loose" }, content));
