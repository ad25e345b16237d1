// What a user meets on single pages: the header, the player and its quizzes, the editor, the checkout, previews of links.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, createUser, flow, quiet, token, until, visit } from "./storefront_watch.mjs";

const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

export const places = {
	"a header of one line, whatever the name": flow("Hedda", async ({ world, page, problem }) => {
		for (const role of ["student", "educator", "admin"]) {
			await page.goto(world.storefront + "/verify");
			await page.evaluate(([name, role]) => {
				const kept = JSON.parse(localStorage.getItem("storefront.session"));
				localStorage.setItem("storefront.session", JSON.stringify({ ...kept, person: { ...kept.person, name, role } }));
			}, [`${long} ${long}`, role]);
			await page.reload();
			await quiet(page);
			for (const width of [320, 360, 390, 600, 768, 960, 1024, 1180, 1190, 1280, 1600]) {
				await page.setViewportSize({ width, height: 700 });
				const { height, over, cut } = await page.evaluate(() => {
					const name = document.querySelector(".signed-in");
					return { height: document.querySelector(".site-header").offsetHeight, over: document.documentElement.scrollWidth - innerWidth, cut: name.offsetWidth === 0 || getComputedStyle(name).textOverflow === "ellipsis" && name.scrollWidth > name.clientWidth };
				});
				if (height > 70 || over > 0 || !cut) problem(`${role} at ${width}: the header has ${height} pixels, ${over} more than the window has across, the name is cut: ${cut}`);
			}
			await page.setViewportSize({ width: 320, height: 700 });
			await page.getByRole("button", { name: "Menu" }).click();
			await checkPage(world, page, problem);
			await page.getByRole("link", { name: /^Account/ }).click();
			await page.getByRole("heading", { level: 1, name: "My account" }).waitFor();
			await quiet(page);
		}
		await page.getByRole("button", { name: "Menu" }).click();
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("link", { name: "Sign in" }).waitFor();
	}),

	...atBothSizes("a quiz after each chapter, then the next chapter", "Quirin", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: "git-for-teams" });
		const { courseData } = await callAs(world, user.userId, "GET", "/api/user/enrolled-courses/git-for-teams");
		const [first, second] = courseData.courseContent;
		await visit(world, page, `/learn/git-for-teams/lectures/${first.chapterContent.at(-1).lectureId}`);
		await page.getByRole("link", { name: `Next: quiz: ${first.chapterTitle}` }).click();
		await page.getByRole("heading", { level: 1, name: `Quiz: ${first.chapterTitle}` }).waitFor();
		await quiet(page);
		const { quiz } = await callAs(world, user.userId, "GET", `/api/quiz/git-for-teams/${first.chapterId}`);
		for (let i = 0; i < quiz.questions.length; i++) await page.locator(`input[name="question-${i}"][value="1"]`).check();
		await page.getByRole("button", { name: "Submit your answers" }).click();
		await page.locator("#result").waitFor();
		await quiet(page);
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: `Next chapter: ${second.chapterTitle}` }).click();
		await page.getByRole("heading", { level: 1, name: second.chapterContent[0].lectureTitle }).waitFor();
		await quiet(page);
		await page.getByRole("link", { name: /^Previous/ }).click();
		await page.getByRole("link", { name: `Next: ${second.chapterContent[0].lectureTitle}` }).waitFor(); // the quiz is taken
		await visit(world, page, `/learn/git-for-teams/lectures/${second.chapterContent.at(-1).lectureId}`);
		await page.getByRole("button", { name: "Mark as done and take the quiz" }).click();
		await page.getByRole("heading", { level: 1, name: `Quiz: ${second.chapterTitle}` }).waitFor();
		await quiet(page);
	}),

	...atBothSizes("an educator edits a course and views it as a student", "Eda", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, `Engraving by ${user.name}`, 300);
		const { courseData: { courseContent: [{ chapterId }] } } = await callAs(world, "", "GET", `/api/course/${courseId}`);
		await callAs(world, user.userId, "PUT", `/api/educator/courses/${courseId}/quizzes/${chapterId}`, { questions: [{ kind: "true-false", question: "Zero is even.", answer: true }] });
		await visit(world, page, `/courses/${courseId}`);
		if (await page.getByRole("link", { name: /^Buy/ }).count()) problem("an educator is to buy the own course");
		await page.getByRole("link", { name: "View as a student" }).click();
		await page.getByText("You see the course as a student does.").waitFor();
		await quiet(page);
		await page.getByRole("heading", { level: 1, name: `Engraving by ${user.name}` }).waitFor();
		if (await page.getByRole("button", { name: /^Mark as done/ }).count()) problem("a preview records what is done");
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: /^Next: quiz/ }).click();
		await page.getByRole("heading", { level: 1, name: /^Quiz: / }).waitFor();
		await quiet(page);
		await page.goBack();
		await page.getByRole("link", { name: "Edit the course" }).click();
		await page.getByRole("heading", { level: 1, name: `Edit Engraving by ${user.name}` }).waitFor();
		await quiet(page);
		const stranger = await createUser(world, `stranger_of_${user.userId}`, "Edgar", "Else", "educator");
		const others = await callAs(world, stranger.userId, "GET", `/api/course/${courseId}`);
		if (others.courseData.educatorId._id !== user.userId) problem("the course belongs to somebody else");
		await page.goto(`${world.storefront}/courses/go-first-steps`);
		await page.getByRole("link", { name: /^Buy/ }).waitFor();
		await quiet(page);
	}, { role: "educator" }),

	...atBothSizes("an editor of folded chapters, with Save in view", "Folke", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, `Folding by ${user.name}`);
		const path = `/api/educator/courses/${courseId}`;
		const { course } = await callAs(world, user.userId, "GET", path);
		const chapter = (n) => ({ chapterTitle: `Part ${n}`, chapterOrder: n, chapterContent: Array.from({ length: 8 }, (_, i) => ({ lectureTitle: `Lecture ${i}`, lectureDuration: 5, lectureOrder: i + 1, lectureUrl: "https://videos.example.com/1", isPreviewFree: false })) });
		await callAs(world, user.userId, "PATCH", path, { version: course.version, courseContent: [1, 2, 3, 4, 5].map(chapter) });
		await visit(world, page, `/teach/courses/${courseId}`);
		if ((await page.title()) !== `Edit Folding by ${user.name} · Open Lectern`) problem(`the page has the title ${await page.title()}`);
		const open = () => page.locator(".chapter-edit details[open]").count();
		if ((await open()) !== 0) problem(`${await open()} chapters are open at first`);
		const screens = await page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
		if (screens > 5) problem(`the editor of a course of 40 lectures is ${screens.toFixed(1)} screens long`);
		const isInView = () => page.getByRole("button", { name: "Save the changes" }).evaluate((button) => { const box = button.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight && document.elementFromPoint(box.x + 5, box.y + 5) === button; });
		for (const top of [0, 800, 100_000]) {
			await page.evaluate((y) => scrollTo(0, y), top);
			if (!(await isInView())) problem(`at ${top} Save is not in view`);
		}
		await page.locator("summary", { hasText: "Chapter 2: Part 2" }).click();
		await page.locator("summary", { hasText: "Chapter 4: Part 4" }).click();
		if ((await open()) !== 1) problem(`opening one chapter leaves ${await open()} open`);
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Open all chapters" }).click();
		if ((await open()) !== 5) problem(`${await open()} chapters are open, of all 5`);
		await page.getByRole("button", { name: "Fold all chapters" }).click();
		await page.getByRole("button", { name: "Move chapter down" }).first().click();
		await page.locator("summary", { hasText: "Chapter 1: Part 2" }).waitFor();
		// Saving opens the chapter with the field that is not right.
		await page.locator("summary", { hasText: "Chapter 5: Part 5" }).click();
		await page.getByLabel("Minutes").locator("visible=true").first().fill("many");
		await page.locator("summary", { hasText: "Chapter 5: Part 5" }).click();
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("Some fields are not right yet.").waitFor();
		await page.getByText("Minutes, such as 12 or 7.5.").locator("visible=true").waitFor();
		await page.getByLabel("Minutes").locator("visible=true").first().fill("12");
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("The changes are saved.").waitFor();
		const { course: now } = await callAs(world, user.userId, "GET", path);
		if (now.courseContent[0].chapterTitle !== "Part 2" || now.courseContent[4].chapterContent[0].lectureDuration !== 12) problem(`the course is ${JSON.stringify(now.courseContent).slice(0, 300)}`);
	}, { role: "educator" }),

	...atBothSizes("Pay says beside the button why it failed", "Paula", async ({ world, context, page, user, problem }) => {
		await visit(world, page, "/checkout/go-first-steps");
		const pay = page.getByRole("button", { name: /^Pay / }), said = page.locator(".card:has(.bill) [role=alert]:visible");
		const fails = async (what, text) => {
			await pay.click();
			await said.filter({ hasText: text }).waitFor();
			const [button, notice] = [await pay.boundingBox(), await said.boundingBox()];
			if (notice.y - (button.y + button.height) > 40 || notice.y < button.y) problem(`${what} is said at ${notice.y}, the button is at ${button.y}`);
		};
		await context.setOffline(true);
		await fails("a lost network", /You are offline/);
		await context.setOffline(false);
		// A fault of the sandbox would hit the orders of other jobs, too.
		for (const [status, message, text] of [[500, "An unexpected error occurred", /An unexpected error occurred. Nothing was changed/], [409, "This course is not sold in this currency", /^This course is not sold in this currency/]]) {
			await page.route((url) => url.pathname === "/api/user/purchase", (route) => route.fulfill({ status, json: { success: false, message }, headers: { "Access-Control-Allow-Origin": world.storefront } }), { times: 1 });
			await fails(message, text);
		}
		await checkPage(world, page, problem);
		const bearer = await token(world, user.userId);
		for (let i = 0; i < 10; i++) await fetch(world.api + "/api/user/verify-gateway", { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${bearer}` }, body: "{}" });
		await fails("too many payments", /Too many payment attempts.*You can try again in \d+ (minutes|seconds)/);
		await page.goto(`${world.storefront}/courses/drawing-foundations`);
		await page.getByRole("button", { name: "Enrol for free" }).click();
		await page.locator(".course-offer [role=alert]:visible", { hasText: /Too many payment attempts/ }).waitFor();
	}, { allow: /ERR_INTERNET_DISCONNECTED|409|500|429/ }),

	"certificates with their dates, and previews of links": flow("Cedric", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: "git-for-teams" });
		const { courseData } = await callAs(world, user.userId, "GET", "/api/user/enrolled-courses/git-for-teams");
		for (const { lectureId } of courseData.courseContent.flatMap((chapter) => chapter.chapterContent)) await callAs(world, user.userId, "POST", "/api/user/update-course-progress", { courseId: "git-for-teams", lectureId });
		const { pdfUrl } = await callAs(world, user.userId, "POST", "/api/user/certificate/generate/git-for-teams");
		const id = pdfUrl.match(/certificate-(.+)\.pdf$/)[1];
		const today = new Date().toLocaleDateString("en-GB", { dateStyle: "medium" });
		await visit(world, page, "/learn/certificates");
		await page.locator(".certificate-card time", { hasText: today }).waitFor();
		await visit(world, page, `/certificates/${id}`);
		if ((await page.locator(".certificate time", { hasText: today }).count()) !== 2) problem("the certificate does not show the days of its completion and its issue");
		for (const [path, title] of [[`/certificates/${id}`, `${user.name}: ${courseData.courseTitle}`], ["/courses/git-for-teams", courseData.courseTitle]]) {
			const read = async () => (await fetch(world.storefront + path)).text();
			const document = await until(async () => { const text = await read(); return text.includes(`<title>${title} · Open Lectern</title>`) && text; }, `the preview of ${path}`); // a busy server answers without it
			for (const want of [`<meta property="og:title" content="${title}">`, `<meta property="og:url" content="${world.storefront}${path}">`, '<meta property="og:image" content="http']) if (!document.includes(want)) problem(`${path} has no ${want}`);
			await visit(world, page, path);
			if ((await page.title()) !== `${title} · Open Lectern`) problem(`${path} has the title ${await page.title()}`);
		}
	}),

	"descriptions with lists and links, attacked with scripts": flow("Xaver", async ({ world, page, user, problem }) => {
		const id = await addCourse(world, user, "Xylography");
		const path = `/api/educator/courses/${id}`;
		const { course } = await callAs(world, user.userId, "GET", path);
		const courseDescription = ["Intro, see https://example.com/a_(b)?q=1&x=<b>.", "", "- one **bold**", "- two", "", "3. three", "4. four", "",
			"<script>window.attacked = 1</script><img src=x onerror='window.attacked = 2'>", "javascript:window.attacked=3 data:text/html,<script>1</script>",
			"https://bank.example@evil.example/ https://exa\u202Emple.com", "[text](javascript:window.attacked=4) (HTTP://EXAMPLE.com/x).", `https://example.com/"onmouseover="window.attacked=5`,
			"&lt;b&gt; <a href=https://evil.example>x</a>"].join("\n");
		await callAs(world, user.userId, "PATCH", path, { version: course.version, courseDescription });
		await visit(world, page, `/courses/${id}`);
		const found = await page.locator(".course-body .prose").evaluate((prose) => ({
			bullets: [...prose.querySelectorAll("ul > li")].map((li) => li.innerHTML), start: prose.querySelector("ol").start, numbers: [...prose.querySelectorAll("ol > li")].map((li) => li.textContent),
			links: [...prose.querySelectorAll("a")].map((a) => a.getAttribute("href")), rels: [...new Set([...prose.querySelectorAll("a")].map((a) => `${a.rel} ${a.target}`))],
			elements: [...new Set([...prose.querySelectorAll("*")].map((e) => e.localName))].sort(), attributes: [...new Set([...prose.querySelectorAll("*")].flatMap((e) => e.getAttributeNames()))].sort(), attacked: window.attacked,
		}));
		const want = {
			bullets: ["one <strong>bold</strong>", "two"], start: 3, numbers: ["three", "four"],
			links: ["https://example.com/a_(b)?q=1&x=", "https://exa/", "http://example.com/x", "https://example.com/", "https://evil.example/"],
			rels: ["noopener nofollow ugc _blank"], elements: ["a", "li", "ol", "p", "strong", "ul"], attributes: ["class", "href", "rel", "start", "target"],
		};
		if (JSON.stringify(found) !== JSON.stringify(want)) problem(`the description shows ${JSON.stringify(found)}, want ${JSON.stringify(want)}`);
		await checkPage(world, page, problem);
	}, { role: "educator" }),
};
