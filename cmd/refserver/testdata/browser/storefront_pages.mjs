// Every page of the storefront, and what holds for each.
import { callAs, openContext, quiet, visit } from "./storefront_watch.mjs";

export const users = {
	visitor: undefined,
	student: { userId: "user_student", name: "Sana Iqbal", role: "student" },
	educator: { userId: "user_educator", name: "Emil Novak", role: "educator" },
	admin: { userId: "user_admin", name: "Ada Quist", role: "admin" },
};

// table returns the pages: role, name, path.
export async function table(world) {
	const { course, lecture, chapter, post, certificate, chat, submission, attempt, bundle } = await ids(world);
	return [
		["visitor", "home", "/"],
		["visitor", "home-filtered", "/?q=go&sort=rating"],
		["visitor", "home-nothing", "/?q=nothing-matches-this"],
		["visitor", "course", "/courses/go-first-steps"],
		["visitor", "course-free", "/courses/drawing-foundations"],
		["visitor", "bundles", "/bundles"],
		["visitor", "bundle", `/bundles/${bundle}`],
		["visitor", "sign-in", "/sign-in"],
		["visitor", "verify", "/verify"],
		["visitor", "certificate", `/certificates/${certificate}`],
		["visitor", "community", "/community"],
		["visitor", "post", `/community/posts/${post}`],
		["visitor", "not-found", "/no-such-page"],
		// Lectures that together have every element that lectures use.
		["visitor", "lecture-drawing", "/lectures/drawing-foundations/1-2"],
		["visitor", "lecture-figure", "/lectures/drawing-foundations/1-3"],
		["visitor", "lecture-code", "/lectures/git-for-teams/2-1"],
		["visitor", "lecture-list", "/lectures/data-structures/2-1"],
		["visitor", "lecture-table", "/lectures/home-networks/1-1"],
		["visitor", "lecture-terms", "/lectures/observability-basics/1-2"],
		["student", "home-student", "/"],
		["student", "course-owned", `/courses/${course}`],
		["student", "checkout", "/checkout/go-first-steps"],
		["student", "bundles-student", "/bundles"],
		["student", "bundle-student", `/bundles/${bundle}`],
		["student", "checkout-bundle", `/checkout/bundles/${bundle}`],
		["student", "my-courses", "/learn"],
		["student", "my-certificates", "/learn/certificates"],
		["student", "my-time", "/learn/time"],
		["student", "my-results", "/learn/results"],
		["student", "my-purchases", "/learn/purchases"],
		["student", "player", `/learn/${course}`],
		["student", "player-lecture", `/learn/${course}/lectures/${lecture}`],
		...["video", "audio", "text", "file", "embed", "assignment"].map((kind, i) => ["student", `player-${kind}`, `/learn/home-networks/lectures/3-${i + 1}`]),
		["student", "quiz", `/learn/${course}/quiz/${chapter}`],
		["student", "my-account", "/learn/account"],
		["student", "notifications", "/notifications"],
		["student", "announcements", `/learn/${course}/announcements`],
		["student", "tutor", "/tutor"],
		["student", "tutor-chat", `/tutor/${chat}`],
		["student", "roadmaps", "/roadmaps"],
		["student", "community-student", "/community"],
		["student", "post-student", `/community/posts/${post}`],
		["student", "post-new", "/community/new"],
		["student", "apply", "/teach/apply"],
		["student", "not-allowed", "/admin"],
		["educator", "teach", "/teach"],
		["educator", "teach-students", "/teach/students"],
		["educator", "teach-students-course", "/teach/students?courseId=home-networks&order=active"],
		["educator", "teach-insights", "/teach/insights"],
		["educator", "teach-edit", "/teach/courses/observability-basics"],
		["educator", "teach-announcements", "/teach/courses/home-networks/announcements"],
		["educator", "teach-quiz", "/teach/courses/home-networks/quizzes/3"],
		["educator", "teach-quiz-results", "/teach/courses/home-networks/quizzes/3/results"],
		["educator", "teach-student", "/teach/courses/home-networks/students/student_lena"],
		["educator", "teach-attempt", `/teach/attempts/${attempt}`],
		["educator", "teach-submissions", "/teach/submissions?courseId=home-networks"],
		["educator", "teach-submission", `/teach/submissions/${submission}`],
		["educator", "teach-questions", "/teach/questions?all=yes"],
		["educator", "teach-reviews", "/teach/reviews?all=yes"],
		["educator", "teach-bundles", "/teach/bundles"],
		["educator", "teach-bundle-new", "/teach/bundles/new"],
		["educator", "teach-bundle", `/teach/bundles/${bundle}`],
		["educator", "bundle-own", `/bundles/${bundle}`],
		["educator", "teach-coupons", "/teach/coupons"],
		["educator", "teach-import", "/teach/import"],
		["educator", "teach-new", "/teach/new"],
		["educator", "not-allowed-educator", "/admin/users"],
		["admin", "admin", "/admin"],
		["admin", "admin-applications", "/admin/applications"],
		["admin", "admin-courses", "/admin/courses"],
		["admin", "admin-student", "/admin/courses/home-networks/students/student_lena"],
		["admin", "admin-attempt", `/admin/attempts/${attempt}`],
		["admin", "admin-purchases", "/admin/purchases"],
		["admin", "admin-enrolments", "/admin/enrolments"],
		["admin", "admin-bundles", "/admin/bundles"],
		["admin", "admin-bundle-new", "/admin/bundles/new"],
		["admin", "admin-bundle", `/admin/bundles/${bundle}`],
		["admin", "admin-coupons", "/admin/coupons"],
		["admin", "admin-reports", "/admin/reports"],
		["admin", "admin-users", "/admin/users"],
		["admin", "admin-user", "/admin/users/user_student"],
		["admin", "admin-user-applied", "/admin/users/student_ines"],
		["admin", "admin-decisions", "/admin/decisions"],
		["admin", "admin-purchase-days", "/admin/purchases?from=2020-01-01&to=2020-01-31"],
	];
}

// ids returns ids of the demo that paths contain. The certificate and the chat are made by the student.
async function ids(world) {
	const { userId } = users.student;
	const course = "git-for-teams";
	const { courseData } = await callAs(world, "", "GET", `/api/course/${course}`);
	const chapter = courseData.courseContent[0];
	const { posts } = await callAs(world, "", "GET", "/api/community/posts?tab=trending");
	const { pdfUrl } = await callAs(world, userId, "POST", `/api/user/certificate/generate/${course}`);
	const chat = await callAs(world, userId, "POST", "/api/user/ai-chat", { content: "What is a commit, and when should I make one?" });
	const { submissions } = await callAs(world, users.educator.userId, "GET", "/api/educator/submissions?courseId=home-networks&status=submitted");
	const { results } = await callAs(world, users.educator.userId, "GET", "/api/educator/courses/home-networks/quizzes/3/results");
	const { bundles } = await callAs(world, "", "GET", "/api/bundle/all");
	return { bundle: bundles.find(({ title }) => title === "Run what you build")._id, attempt: results.find(({ startedAt }) => startedAt !== null)._id, submission: submissions[0]._id, course, chapter: chapter.chapterId, lecture: chapter.chapterContent[0].lectureId, post: posts[0]._id, certificate: pdfUrl.match(/certificate-(.+)\.pdf$/)[1], chat: chat.activeSessionId };
}

// checkPages opens the pages of a role at a width, in the light theme and, for the look of a large screen, in the dark one.
export async function checkPages(world, rows, role, width, problem) {
	const problems = [];
	const context = await openContext(world, problems, { width, height: width < 500 ? 844 : 900, user: users[role] });
	const page = await context.newPage();
	for (const [, name, path] of rows.filter(([of]) => of === role)) {
		const found = new Set();
		const report = (text) => found.add(`${name} (${path}): ${text}`);
		try {
			await visit(world, page, path);
			const isDarkToo = world.look && (width > 500 || world.screenshots);
			for (const scheme of isDarkToo ? ["light", "dark"] : ["light"]) {
				await page.emulateMedia({ colorScheme: scheme });
				await checkPage(world, page, (text) => report(`${scheme}: ${text}`), scheme === "dark" ? ofColours : undefined);
				if (world.screenshots) await page.screenshot({ path: `${world.screenshots}/${name}-${width}-${scheme}.png`, fullPage: true });
			}
			await page.emulateMedia({ colorScheme: "light" });
		} catch (error) {
			report(String(error));
		}
		problems.splice(0).forEach(report);
		found.forEach(problem);
	}
	await context.close();
}

// The rules of axe that a page is checked by: all of them, those of colours, which depend on the theme and take longest,
// and all others for a phone, because the colours are the same at both widths.
const ofAll = { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } };
const ofColours = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };
const ofPhone = { ...ofAll, rules: Object.fromEntries(ofColours.runOnly.values.map((rule) => [rule, { enabled: false }])) };

// checkPage reports what is wrong with the shown page.
export async function checkPage(world, page, problem, rules = page.viewportSize().width > 500 ? ofAll : ofPhone) {
	await quiet(page);
	(await page.evaluate(faults)).forEach(problem);
	if (!world.look) return;
	await page.evaluate(showAll);
	if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(world.axe); // which takes as long as to use it
	const { violations } = await page.evaluate((rules) => window.axe.run(document, { ...rules, resultTypes: ["violations"], iframes: false, preload: false }), rules);
	await page.evaluate(() => { delete document.documentElement.dataset.checked; });
	for (const v of violations) for (const node of v.nodes) problem(`axe ${v.id}: ${node.target} ${node.html.slice(0, 200)} ${node.any[0]?.message ?? node.all[0]?.message ?? v.help}`);
}

// showAll runs in the page. A part outside of the view whose rendering is skipped keeps the colours of the theme before.
// What stays in view when the page scrolls covers other parts, so that it does not while data-checked is set.
function showAll() {
	document.documentElement.dataset.checked = "";
	if (document.adoptedStyleSheets.length > 0) return;
	const style = new CSSStyleSheet();
	style.replaceSync("* { content-visibility: visible !important; } [data-checked] :is(.site-header, .save-bar) { position: static !important; }");
	document.adoptedStyleSheets = [style];
}

// faults runs in the page.
export function faults() {
	const found = [];
	const root = document.documentElement;
	const over = root.scrollWidth - root.clientWidth;
	if (over > 0) {
		const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1).at(-1);
		found.push(`scrolls ${over} px sideways, perhaps because of ${wide?.outerHTML.slice(0, 150)}`);
	}
	const levels = [...document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)")].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]));
	if (levels.filter((l) => l === 1).length !== 1) found.push(`has ${levels.filter((l) => l === 1).length} headings of level 1`);
	levels.forEach((l, i) => { if (i > 0 && l > levels[i - 1] + 1) found.push(`has a heading of level ${l} after one of level ${levels[i - 1]}`); });
	if (!/\S · Open Lectern$/.test(document.title)) found.push(`has the title ${document.title}`);
	const failed = document.querySelector("main .state.bad");
	if (failed) found.push(`shows an error: ${failed.textContent}`);
	return found;
}
