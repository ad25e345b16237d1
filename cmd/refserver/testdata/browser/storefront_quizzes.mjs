// Quizzes that educators write by hand, and how students take them.
import { readFile } from "node:fs/promises";
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, counter, createUser, flow, openContext, quiet, until, visit } from "./storefront_watch.mjs";

// quizOf returns the addresses of the quiz of a new course: of its page and of its route.
async function quizOf(world, user, title) {
	const courseId = await addCourse(world, user, title);
	const { course } = await callAs(world, user.userId, "GET", `/api/educator/courses/${courseId}`);
	const { chapterId } = course.courseContent[0];
	return { courseId, chapterId, route: `/api/educator/courses/${courseId}/quizzes/${chapterId}` };
}

// bank has a question of each kind; together they have 7 points.
const bank = [
	{ kind: "single", question: "Which is a prime?", options: ["9", "7"], answer: 1, explanation: "Only 1 and 7 divide it." },
	{ kind: "multiple", question: "Which are even?", options: ["2", "3", "4"], answer: [0, 2], points: 3 },
	{ kind: "true-false", question: "Zero is even.", answer: true },
	{ kind: "number", question: "What is π?", answer: 3.14, tolerance: 0.01 },
	{ kind: "text", question: "What is the largest prime?", answer: ["none"] },
];

// useSaver runs in the page. It uses the saver of answers with a clock and a network of its own, and returns after how
// many milliseconds a text is sent that is typed at 0, 500, 2800 and 3100; how often it is sent when it is saved and the
// connection comes back; how often a request is repeated that fails after the page was left, and what this tab keeps then.
async function useSaver() {
	const { AnswerSaver } = await import("/js/components/answer-saver.js");
	const real = { setTimeout: window.setTimeout, now: Date.now, fetch: window.fetch };
	const timers = [], requests = [], leave = new AbortController();
	let now = 1e12;
	Date.now = () => now;
	window.setTimeout = (run, wait) => timers.push({ run, wait });
	window.fetch = () => new Promise((resolve, reject) => requests.push({ reject, answer: () => resolve(new Response('{"success":true}')) }));
	const settle = () => new Promise((resolve) => real.setTimeout.call(window, resolve, 10));
	try {
		const saver = new AnswerSaver("attempt", { signal: leave.signal, watch: () => {} });
		const waits = [];
		for (const at of [0, 500, 2800, 3100]) {
			now = 1e12 + at;
			saver.put("question", `a text of ${at}`, true);
			waits.push(timers.at(-1).wait);
		}
		timers.at(-1).run();
		requests[0].answer();
		await settle();
		dispatchEvent(new Event("online"));
		timers.at(-1).run();
		const whenOnline = requests.length;
		saver.put("question", "another", false);
		timers.at(-1).run();
		leave.abort(); // sends it once more
		const before = timers.length;
		requests[1].reject(new TypeError("no network"));
		requests[2].answer();
		await settle();
		return { waits, whenOnline, afterLeaving: timers.length - before, kept: sessionStorage.getItem(saver.key) ?? "{}" };
	} finally {
		Object.assign(window, { setTimeout: real.setTimeout, fetch: real.fetch });
		Date.now = real.now;
	}
}

export const quizzes = {
	...atBothSizes("a quiz of all kinds is written by hand", "Quilla", async ({ world, page, user, problem }) => {
		const { courseId, route } = await quizOf(world, user, "Questions");
		await visit(world, page, `/teach/courses/${courseId}`);
		await page.getByText("Quizzes of the chapters").click();
		await page.getByRole("link", { name: "Write a quiz: Questions" }).click();
		await page.getByRole("heading", { level: 1, name: "Quiz: Questions" }).waitFor();
		const last = () => page.locator("main .quiz-edit").last();
		const add = async (text, kind) => {
			if ((await last().getByLabel("Question", { exact: true }).inputValue()) !== "") await page.getByRole("button", { name: "Add a question" }).click();
			await last().getByLabel("Question", { exact: true }).fill(text);
			await last().getByLabel("Kind", { exact: true }).selectOption({ label: kind });
			return last();
		};
		const single = await add("Which is a prime?", "One right option");
		await single.getByLabel("Option 1", { exact: true }).fill("9");
		await single.getByLabel("Option 2", { exact: true }).fill("9");
		await page.getByRole("button", { name: "Save the quiz" }).click();
		await page.getByText("There is another option with this text.").first().waitFor();
		await single.getByText("Say which option is right.").waitFor();
		await single.getByLabel("Option 2", { exact: true }).fill("7");
		await single.getByLabel("Option 2 is right").check();
		await single.getByLabel("Explanation").fill("Only 1 and 7 divide it.");
		await checkPage(world, page, problem);
		const heading = page.locator("main .quiz-edit h3").first();
		await heading.evaluate((h3) => { h3.firstChild.isKept = true; });
		const multiple = await add("Which are even?", "Several right options");
		if (!(await heading.evaluate((h3) => h3.firstChild.isKept))) problem("typing in a question draws the others again, which takes long for 500");
		await multiple.getByRole("button", { name: "Add an option" }).click();
		for (const [i, text] of ["2", "3", "4"].entries()) await multiple.getByLabel(`Option ${i + 1}`, { exact: true }).fill(text);
		await multiple.getByLabel("Option 1 is right").check();
		await multiple.getByLabel("Option 3 is right").check();
		await multiple.getByLabel("Points").fill("3");
		await (await add("Zero is even.", "True or false")).getByLabel("True", { exact: true }).check();
		const number = await add("What is π?", "A number");
		await number.getByLabel("Right number").fill("3,14");
		await number.getByText("Read as 3.14.").waitFor();
		await number.getByLabel("How far off is still right").fill("0.01");
		await (await add("What is the largest prime?", "A short text")).getByLabel("Right texts").fill("none\nthere is none");
		await checkPage(world, page, problem);
		await page.getByLabel("Minutes").fill("20");
		await page.getByLabel("Questions in an attempt").fill("6");
		await page.getByRole("button", { name: "Save the quiz" }).click();
		await page.getByText("Each attempt is to have 6 questions, and there are 5.").waitFor();
		await page.getByLabel("Questions in an attempt").fill("4");
		await page.getByLabel("Show the right answers").selectOption({ label: "After an attempt that is passed" });

		// What was typed survives a reload, and the preview shows it.
		await page.reload();
		await page.getByText("What you typed before and did not save is here again.").waitFor();
		await page.getByRole("tab", { name: "As a student sees it" }).click();
		await page.getByText("Each attempt has 4 of the 5 questions below").waitFor();
		await page.getByRole("radio", { name: "7" }).check();
		await checkPage(world, page, problem);
		await page.getByRole("tab", { name: "Edit" }).click();
		const saves = counter(page, /^PUT /);
		await page.getByRole("button", { name: "Save the quiz" }).dblclick();
		await page.getByText("The quiz is saved.").waitFor();
		if (saves() !== 1) problem(`one change is saved ${saves()} times`);
		const { quiz } = await callAs(world, user.userId, "GET", route);
		const answers = quiz.questions.map((q) => `${q.kind} ${q.points} ${[q.answer].flat().map((id) => q.options.find((o) => o.optionId === id)?.text ?? id).sort()}`); // the ids are random, and so is their order
		if (answers.join() !== "single 1 7,multiple 3 2,4,true-false 1 true,number 1 3.14,text 1 none,there is none") problem(`the answers are ${answers}`);
		if (JSON.stringify(quiz.settings) !== '{"draw":4,"minutes":20,"passPercent":50,"review":"passed"}') problem(`the settings are ${JSON.stringify(quiz.settings)}`);

		// A corrected answer may mark attempts of before anew.
		await page.getByLabel("When you save a corrected answer").selectOption({ label: "They gain the points of answers that are right now" });
		const sent = page.waitForRequest((r) => r.method() === "PUT");
		await page.getByRole("button", { name: "Save the quiz" }).click();
		if ((await sent).postDataJSON().remark !== true) problem("attempts of before are not marked anew");
		await page.getByText("Attempts of before are marked anew within minutes.").waitFor();

		// Mistakes in folded questions are seen: the first is opened, and the others are marked.
		const folded = async (i) => { const part = page.locator("main .quiz-edit").nth(i); await part.locator("summary").click(); return part; };
		await (await folded(1)).getByLabel("Points").fill("none");
		await (await folded(3)).getByLabel("Right number").fill("much");
		await (await folded(4)).locator("summary").click();
		await page.getByRole("button", { name: "Save the quiz" }).press("Enter");
		await page.locator("main .quiz-edit").nth(1).getByText("A whole number from 1 to 100.").waitFor();
		if (!(await page.locator("main .quiz-edit").nth(1).getByLabel("Points").evaluate((input) => input === document.activeElement))) problem("the first mistake has no focus");
		await page.locator("main .quiz-edit").nth(3).locator("summary").getByText("1 thing to correct").waitFor();
		await checkPage(world, page, problem);
		await page.locator("main .quiz-edit").nth(1).getByLabel("Points").fill("3");
		await page.locator("main .quiz-edit").nth(1).locator("summary").getByText("1 thing to correct").waitFor({ state: "detached" });
		await (await folded(3)).getByLabel("Right number").fill("3.14");

		// Questions move by the keyboard, and another's change is not lost.
		await page.locator("main .quiz-edit").first().getByRole("button", { name: "Move question down" }).press("Enter");
		await page.locator("summary", { hasText: "Question 1: Which are even?" }).waitFor();
		await callAs(world, user.userId, "PUT", route, { version: quiz.version + 1, questions: [{ kind: "true-false", question: "Theirs?", answer: true }] });
		await page.getByRole("button", { name: "Save the quiz" }).click();
		await page.getByText("The quiz was changed by another person, or in another tab").waitFor();
		await page.getByRole("button", { name: "Keep what I typed" }).click();
		await page.getByRole("button", { name: "Save the quiz" }).click();
		await page.getByText("The quiz is saved.").last().waitFor();
		await page.getByText("Everything is saved.").waitFor();

		// The AI drafts, which changes nothing until it is saved.
		await page.getByRole("button", { name: "Have the AI draft questions" }).click();
		await page.getByLabel("Put them").selectOption({ label: "In place of the questions that are here" });
		await page.getByRole("button", { name: "Draft questions", exact: true }).dblclick();
		await page.getByText("The draft is in the form.").waitFor();
		await page.locator("summary", { hasText: "Question 2: [Sandbox 2 of 10]" }).click();
		await page.locator("main .quiz-edit[open], main .quiz-edit details[open]").getByLabel("Question", { exact: true }).fill("Corrected by hand");
		const before = await callAs(world, user.userId, "GET", route);
		if (before.quiz.questions[0].question !== "Which are even?") problem("a draft of the AI is stored before it is saved");
		await page.getByRole("button", { name: "Save the quiz" }).click();
		await page.getByText("Everything is saved.").waitFor();
		const { quiz: taken } = await callAs(world, user.userId, "GET", route);
		if (taken.questions.length !== 10 || taken.questions[1].question !== "Corrected by hand" || taken.settings.minutes !== 20) problem(`after the draft the quiz is ${JSON.stringify(taken).slice(0, 300)}`);

		// The quiz goes out as a file and comes back; a file that is refused tells why.
		const waiting = page.waitForEvent("download");
		await page.getByRole("button", { name: "Download as QTI" }).click();
		const qti = await readFile(await (await waiting).path());
		const importing = async (content) => {
			await page.getByLabel("QTI file", { exact: true }).setInputFiles({ name: "quiz.xml", mimeType: "application/xml", buffer: Buffer.from(content) });
			await page.getByRole("button", { name: "Import the quiz" }).click();
		};
		await page.getByRole("button", { name: "Import a QTI file" }).click();
		await importing("<questestinterop><item/></questestinterop>");
		await page.getByText("This quiz cannot be imported: the file has no question that can be imported; question 1: it asks for no answer").waitFor();
		await checkPage(world, page, problem);
		await importing(qti.toString().replace("</section>", "<item/></section>"));
		await page.getByText("10 questions are imported and saved.").waitFor();
		await page.getByText("question 11: it asks for no answer").waitFor();
		await page.getByText("Everything is saved.").waitFor();
		await checkPage(world, page, problem);
		const { quiz: imported } = await callAs(world, user.userId, "GET", route);
		if (imported.version !== taken.version + 1 || imported.questions[1].question !== "Corrected by hand") problem(`after the import the quiz is ${JSON.stringify(imported).slice(0, 300)}`);
		await page.getByRole("button", { name: "Delete this quiz" }).click();
		await page.getByRole("button", { name: "Delete the quiz", exact: true }).dblclick();
		await page.getByText("The quiz is deleted.").waitFor();
		await page.getByText("Quizzes of the chapters").click();
		await page.getByRole("link", { name: "Write a quiz: Questions" }).waitFor();
		await quiet(page);
	}, { role: "educator", allow: /409|404|400/ }),

	...atBothSizes("an attempt is kept by the server", "Quirina", async ({ world, context, page, user, problem }) => {
		const teacher = await createUser(world, `teacher_of_${user.userId}`, "Tessa", "Example", "educator");
		const { courseId, chapterId, route } = await quizOf(world, teacher, "Timed");
		const { quiz } = await callAs(world, teacher.userId, "PUT", route, { settings: { minutes: 20, attempts: 2, review: "always", shuffle: true }, questions: bank });
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId });
		// The certificate asks for the quiz beside the lecture.
		const { course } = await callAs(world, teacher.userId, "GET", `/api/educator/courses/${courseId}`);
		await callAs(world, teacher.userId, "PATCH", `/api/educator/courses/${courseId}`, { version: course.version, terms: { certificate: { quizzes: true } } });
		await callAs(world, user.userId, "POST", "/api/user/update-course-progress", { courseId, lectureId: course.courseContent[0].chapterContent[0].lectureId });
		await visit(world, page, `/learn/${courseId}`);
		await page.getByText("For the certificate this is missing:").waitFor();
		await visit(world, page, "/learn/certificates");
		await page.getByText("Quiz not passed: Timed").waitFor();
		await checkPage(world, page, problem);
		const saved = () => page.getByText("All answers are saved.").waitFor();
		const result = page.locator("section").filter({ has: page.locator("#result") });
		page.on("response", (response) => { if (response.status() === 409 && response.request().method() !== "PUT") problem(`${response.request().method()} ${response.url()} is 409`); });
		const left = async () => { const [minutes, seconds] = (await page.getByRole("timer").locator("strong").innerText()).split(":"); return 60 * minutes + Number(seconds); };

		// By the keyboard alone: read what the quiz is, which begins nothing, begin, choose, write.
		await visit(world, page, `/learn/${courseId}/quiz/${chapterId}`);
		await page.getByRole("heading", { level: 1, name: "Quiz: Timed" }).waitFor();
		for (const rule of ["It has 5 questions with 7 points.", "You have 20 minutes.", "You have 2 attempts left.", "You pass with 50 % or more."]) await page.getByText(rule).waitFor();
		if ((await callAs(world, user.userId, "GET", `/api/quiz/attempts?courseId=${courseId}&chapterId=${chapterId}`)).attempts.length > 0) problem("reading what a quiz is begins an attempt");
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Start the quiz" }).press("Enter");
		await page.getByRole("group", { name: /Which is a prime/ }).waitFor();
		await page.getByRole("radio", { name: "7" }).press("Space");
		await page.getByRole("radio", { name: "True" }).press("Space");
		await page.getByRole("textbox", { name: "Answer: What is π?" }).pressSequentially("3,14");
		await page.getByText("“3,14” does not count as a number. Write decimals after a point, such as 3.14").waitFor();
		await page.getByRole("textbox", { name: "Answer: What is π?" }).fill("3.14 rad");
		await page.getByText("Read as 3.14; the unit is ignored.").waitFor();
		await saved();
		await page.evaluate(() => dispatchEvent(new Event("online")));
		await saved();
		await checkPage(world, page, problem);
		const { attempt } = await callAs(world, user.userId, "POST", "/api/quiz/attempts", { courseId, chapterId });
		if (Object.keys(attempt.answers).length !== 3) problem(`the server has the answers ${JSON.stringify(attempt.answers)}`);
		if (JSON.stringify(attempt).includes("divide it")) problem("a solution is in the attempt");

		// Without a connection nothing is lost, also if the page is loaded again meanwhile.
		const saving = (url) => url.pathname === `/api/quiz/attempts/${attempt._id}`;
		await page.route(saving, (route) => (route.request().method() === "PUT" ? route.abort("internetdisconnected") : route.continue()));
		await page.getByRole("checkbox", { name: "2", exact: true }).check();
		await page.getByText("Your last answer is not saved yet").waitFor();
		const before = await left();
		await page.reload();
		await page.getByRole("checkbox", { name: "2", exact: true }).waitFor();
		await page.unroute(saving); // not before, as the answer would be saved on a busy machine, and nothing said of it
		await saved();
		if (!(await page.getByRole("checkbox", { name: "2", exact: true }).isChecked()) || !(await page.getByRole("radio", { name: "7" }).isChecked())) problem("a reload loses answers");
		await until(async () => (await left()) > 0, "the time that is left");
		// The server tells whole seconds, so that two readings may differ by one.
		if ((await left()) > before + 1 || before > 20 * 60) problem(`before a reload ${before} seconds are left, and after it ${await left()}`);

		// Another device goes on with the same attempt.
		const problems = [];
		const other = await openContext(world, problems, { user });
		const second = await other.newPage();
		await visit(world, second, `/learn/${courseId}/quiz/${chapterId}`);
		await second.getByRole("heading", { name: "You have begun this quiz" }).waitFor();
		await checkPage(world, second, problem);
		await second.getByRole("button", { name: "Continue" }).press("Enter");
		await second.getByRole("radio", { name: "7" }).waitFor();
		if (!(await second.getByRole("radio", { name: "7" }).isChecked())) problem("another device does not go on with the attempt");
		await other.close();
		problems.forEach(problem);

		await page.getByRole("checkbox", { name: "4", exact: true }).check();
		await page.getByRole("button", { name: "Submit your answers" }).click();
		await page.getByText(/^Question \d has no answer, and counts as not right.$/).waitFor();
		await page.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("textbox", { name: "Answer: What is the largest prime?" }).fill(" None ");
		await page.getByRole("button", { name: "Submit your answers" }).dblclick();
		await page.locator("#result").waitFor();
		await result.getByText("7 of 7 points").waitFor();
		await page.getByText("You have 1 attempt left.").waitFor();
		await page.getByText("Only 1 and 7 divide it.").waitFor();
		await quiet(page);
		await checkPage(world, page, problem);

		// The second attempt ends by itself: the clock of this device says so first, and then the server.
		const ends = counter(page, /^PUT /);
		await page.route((url) => url.pathname === "/icon.svg", (route) => (route.request().method() === "HEAD" ? route.fulfill({ headers: { Date: new Date(Date.now() + 20 * 60_000).toUTCString() } }) : route.continue()));
		await page.getByRole("button", { name: "Begin another attempt" }).dblclick();
		await page.getByRole("radio", { name: "9" }).check();
		await until(() => ends() >= 2, "the page to ask the server whether the time is over");
		if (await page.locator("#result").count()) problem("an attempt is submitted while the server takes answers");
		await page.route((url) => /^\/api\/quiz\/attempts\/[^/]+$/.test(url.pathname), (route) => (route.request().method() === "PUT" ? route.fulfill({ status: 409, json: { success: false, message: "The time is over" }, headers: { "Access-Control-Allow-Origin": world.storefront } }) : route.continue()));
		await page.locator("#result").waitFor();
		await page.getByText("You have no attempts left.").waitFor();
		await result.getByText("Not passed").waitFor();
		if (await page.getByRole("button", { name: "Begin another attempt" }).count()) problem("a third attempt of two is offered");
		await quiet(page);
		const { results } = await callAs(world, user.userId, "GET", `/api/quiz/results/${courseId}/${chapterId}`);
		if (results.map((r) => r.percentage).join() !== "0,100") problem(`the results are ${JSON.stringify(results)}`);

		// One attempt of the two is passed, which is enough for the certificate.
		await visit(world, page, `/learn/${courseId}`);
		await page.getByRole("button", { name: "Get your certificate" }).waitFor();
		await visit(world, page, `/learn/${courseId}/quiz/${chapterId}`);

		// Later each attempt is there with its answers, and another one is not offered.
		await page.getByText("You have no attempts left.").waitFor();
		if (await page.getByRole("button", { name: "Start the quiz" }).count()) problem("a third attempt of two is offered");
		await page.getByRole("listitem").filter({ hasText: "7 of 7 points" }).getByText("Passed", { exact: true }).waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: /^Details of the attempt/ }).last().press("Enter");
		await page.getByRole("heading", { level: 1, name: "Your attempt" }).waitFor();
		await page.getByText("Only 1 and 7 divide it.").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Back to the quiz" }).click();
		await page.getByText("You have no attempts left.").waitFor();
		if (quiz.questions.length !== 5) problem("the quiz has lost questions");

		// The educator is led to the preview, and removes the quiz: the attempts stay.
		const desk = await openContext(world, problems, { user: teacher, allow: /403/ });
		const own = await desk.newPage();
		await own.goto(`${world.storefront}/learn/${courseId}/quiz/${chapterId}`);
		await own.getByText("This is what a student sees.").waitFor();
		await desk.close();
		problems.forEach(problem);
		await callAs(world, teacher.userId, "DELETE", route);
		await page.reload();
		await page.getByRole("heading", { name: "No quiz here" }).waitFor();
		await page.getByRole("link", { name: /^Details of the attempt/ }).last().waitFor();
		await quiet(page);

		// When the enrolment has ended, the attempts stay, and the page says what to do.
		await callAs(world, "user_admin", "DELETE", `/api/admin/enrollments/${user.userId}/${courseId}`);
		await page.reload();
		await page.getByRole("heading", { name: "You have no access to this quiz" }).waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: /^Details of the attempt/ }).last().click();
		await page.getByText("Only 1 and 7 divide it.").waitFor();
		await page.getByRole("link", { name: "Back to the quiz" }).click();
		await page.getByRole("link", { name: "Open the page of the course" }).click();
		await page.getByRole("heading", { level: 1, name: "Timed" }).waitFor();
		await quiet(page);
		await context.close();
	}, { allow: /409|40[34]|ERR_INTERNET_DISCONNECTED/ }),

	"answers are saved while they are typed, and not again after the page is left": flow("", async ({ world, page, problem }) => {
		await visit(world, page, "/verify");
		const found = await page.evaluate(useSaver);
		if (JSON.stringify(found) !== JSON.stringify({ waits: [700, 700, 200, 0], whenOnline: 1, afterLeaving: 0, kept: "{}" })) problem(`the saver of answers does ${JSON.stringify(found)}`);
	}),

	"results of a quiz are read and saved as CSV": async (world, problem) => {
		const problems = [];
		const context = await openContext(world, problems, { user: { userId: "user_educator", name: "Emil Novak", role: "educator" } });
		const page = await context.newPage();
		await visit(world, page, "/teach/courses/home-networks/quizzes/3/results");
		const rows = page.getByRole("table", { name: "Questions" }).getByRole("row");
		await page.getByRole("button", { name: /^Right/ }).click();
		await rows.nth(1).getByText("You send 20 pings and get 17 answers.").waitFor();
		await rows.nth(1).getByText("40 %").waitFor();
		await page.getByRole("link", { name: /^Zainab/ }).waitFor();
		for (const [what, header] of [["results", /^\uFEFF?.*student/i], ["questions", /^\uFEFF?.*question/i]]) {
			const waiting = page.waitForEvent("download");
			await page.getByRole("button", { name: `Download as CSV: ${what}` }).dblclick();
			const text = await readFile(await (await waiting).path(), "utf8");
			if (!header.test(text) || text.trim().split(/\r?\n/).length !== 6) problem(`the CSV of ${what} is ${text.slice(0, 500)}`);
		}
		await page.getByRole("link", { name: /^Zainab/ }).click();
		await page.getByRole("heading", { level: 1, name: /Zainab/ }).waitFor();
		await page.getByText("best 100 %").waitFor();
		await quiet(page);
		await context.close();
		problems.forEach(problem);
	},
};
