// Assignments: educators write and grade them, and students work on them.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, counter, createUser, flow, openContext, quiet, until, visit } from "./storefront_watch.mjs";

export const assignments = {
	...atBothSizes("an assignment is written, submitted, returned and graded", "Asta", async ({ world, page, user, problem }) => {
		const teacher = await createUser(world, `grader_of_${user.userId}`, "Grada", "Example", "educator");
		const courseId = await addCourse(world, teacher, "Working");
		const problems = [], size = page.viewportSize();
		const desk = await openContext(world, problems, { user: teacher, ...size, allow: /409/ });
		const own = await desk.newPage();

		// The educator writes it in the editor of the course.
		await visit(world, own, `/teach/courses/${courseId}`);
		await own.locator("summary", { hasText: "Chapter 1: Working" }).click();
		await own.getByRole("button", { name: "Add a lecture" }).click();
		await own.getByLabel("Title of the lecture").nth(1).fill("Essay");
		await own.getByLabel("Minutes").nth(1).fill("60");
		const lecture = own.locator("main .lecture-edit").nth(1);
		await lecture.getByLabel("Kind", { exact: true }).selectOption({ label: "Assignment" });
		await lecture.getByLabel("What is asked").fill("Write about **one** tool. <script>alert(1)</script>");
		await lecture.getByRole("button", { name: "Preview what is asked" }).click();
		await lecture.locator("strong", { hasText: "one" }).waitFor();
		for (const [i, [text, points]] of [["Language", "4"], ["Thought", "6"]].entries()) {
			await lecture.getByRole("button", { name: "Add a line to the rubric" }).click();
			await lecture.getByLabel("What is graded").nth(i).fill(text);
			await lecture.getByLabel("Points").nth(i).fill(points);
		}
		await lecture.getByLabel("Due", { exact: true }).selectOption({ label: "Some days after the enrolment" });
		await lecture.getByLabel("Days after the enrolment").fill("0");
		await lecture.getByLabel("Days that late work is taken").fill("7");
		await lecture.getByLabel("Attempts").fill("3");
		await lecture.getByLabel("Students may submit files").check();
		await checkPage(world, own, problem);
		await own.getByRole("button", { name: "Save the changes" }).dblclick();
		await own.getByText("The changes are saved.").waitFor();
		await own.reload();
		await own.getByText("Everything is saved.").waitFor();
		const { course } = await callAs(world, teacher.userId, "GET", `/api/educator/courses/${courseId}`);
		const { lectureId, assignment } = course.courseContent[0].chapterContent[1];
		if (JSON.stringify([assignment.rubric.map(({ points }) => points), assignment.dueAfterDays, assignment.lateDays, assignment.attempts, assignment.files]) !== "[[4,6],0,7,3,true]") problem(`the assignment is ${JSON.stringify(assignment)}`);

		// The student writes: the draft is kept by the server.
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId });
		const path = `/learn/${courseId}/lectures/${lectureId}`, route = `/api/user/assignments/${courseId}/${lectureId}`;
		await visit(world, page, path);
		await page.getByRole("row", { name: /Thought/ }).waitFor();
		await page.getByText(/^Late/).first().waitFor();
		if (await page.getByRole("button", { name: /^Mark as done/ }).count()) problem("an assignment is marked as done by the student");
		await page.getByRole("button", { name: "Submit your work" }).click();
		await page.getByText("Write something, or add a file, before you submit.").waitFor();
		await page.evaluate(() => { const send = window.fetch; window.fetch = (url, options) => { if (options?.method === "PUT") sessionStorage.setItem("outlives", String(options.keepalive)); return send(url, options); }; });
		await page.getByLabel("Your work").fill("A nail.");
		await page.goto("about:blank"); // at once: the draft is sent while the page is closed
		await until(async () => (await callAs(world, user.userId, "GET", route)).draft.text === "A nail.", "the draft of a page that was closed");
		await visit(world, page, path);
		if ((await page.evaluate(() => sessionStorage.getItem("outlives"))) !== "true") problem("a draft is not sent any more when its page is closed");
		const saving = (url) => url.pathname === route;
		await page.route(saving, (route) => (route.request().method() === "PUT" ? route.abort("internetdisconnected") : route.continue()));
		await page.getByLabel("Your work").fill("A hammer.");
		await page.getByText("The draft is not saved yet").waitFor();
		await page.unroute(saving);
		await page.reload();
		await page.getByText("The draft is saved.").waitFor();
		await page.getByLabel("Add files: Your files").setInputFiles([{ name: "page.html", mimeType: "text/html", buffer: Buffer.from("<html></html>") }, { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("The plan") }, { name: "other.txt", mimeType: "text/plain", buffer: Buffer.from("Another") }]);
		await page.getByText("page.html was not added: Only").waitFor();
		await page.getByRole("button", { name: "Take out other.txt" }).click();
		await until(async () => { const { draft } = await callAs(world, user.userId, "GET", route); return draft.text === "A hammer." && draft.files.map(({ name }) => name).join() === "plan.txt"; }, "the draft to be saved");
		await checkPage(world, page, problem);
		const submits = counter(page, /^POST .*\/submit$/);
		await page.getByRole("button", { name: "Submit your work" }).click();
		await page.getByRole("button", { name: "Submit it" }).dblclick();
		await page.getByText("It waits for its grade").waitFor();
		await quiet(page);
		if (submits() !== 1) problem(`the work is submitted ${submits()} times`);
		await checkPage(world, page, problem);

		// The educator returns it.
		await visit(world, own, `/teach/submissions?courseId=${courseId}`);
		await checkPage(world, own, problem);
		await own.getByRole("link", { name: `${user.name}: Essay` }).click();
		await own.getByText("A hammer.").waitFor();
		await own.getByRole("link", { name: "plan.txt" }).waitFor();
		await own.getByRole("button", { name: "Return for another attempt" }).click();
		await own.getByText("Write in the feedback what the student is to change.").waitFor();
		await own.getByLabel(/^Feedback/).fill("Say why.");
		await checkPage(world, own, problem);
		await own.getByRole("button", { name: "Return for another attempt" }).dblclick();
		await own.getByText("The work is returned, and the student sees why.").waitFor();
		await own.getByText("Every submission in this course has its grade.").waitFor();

		// The student submits it again, and two graders decide at once.
		await page.reload();
		await page.getByText("Say why.").waitFor();
		await page.getByRole("button", { name: "Begin with what I submitted" }).click();
		await page.getByLabel("Your work").press("End");
		await page.getByLabel("Your work").pressSequentially(" It is simple.");
		await page.getByRole("button", { name: "Submit your work" }).click();
		await page.getByRole("button", { name: "Submit it" }).click();
		await page.getByText("It waits for its grade").waitFor();
		await own.getByLabel("Submissions").selectOption({ label: "All" });
		await own.getByRole("link", { name: `${user.name}: Essay` }).nth(1).waitFor();

		// The queue of all courses names the course, and the way back leads to it.
		await own.getByLabel("Course").selectOption({ label: "All courses" });
		await own.getByLabel("Submissions").selectOption({ label: "That wait for a grade" });
		await own.getByRole("link", { name: `${user.name}: Working` }).click();
		await own.getByRole("link", { name: "All submissions" }).click();
		await own.getByRole("link", { name: `${user.name}: Working` }).waitFor();
		if (new URL(own.url()).search !== "") problem(`the queue of all courses is at ${own.url()}`);
		await checkPage(world, own, problem);
		await own.getByLabel("Course").selectOption({ label: "Working" });
		await own.getByRole("link", { name: `${user.name}: Essay` }).click();
		await own.getByText("A hammer. It is simple.").waitFor();
		await quiet(own);
		await own.getByLabel("Language (0 to 4)").fill("5");
		await own.getByLabel("Thought (0 to 6)").fill("6");
		await own.getByRole("button", { name: "Save the grade" }).click();
		await own.getByText("A whole number from 0 to 4.").waitFor();
		await own.getByLabel("Language (0 to 4)").fill("3");
		await own.getByLabel(/^Feedback/).fill("Well done.");
		const submissionId = new URL(own.url()).pathname.split("/").at(-1);
		const { submission } = await callAs(world, "user_admin", "GET", `/api/educator/submissions/${submissionId}`);
		await callAs(world, "user_admin", "PUT", `/api/educator/submissions/${submissionId}/grade`, { version: submission.version, status: "returned", points: [], feedback: "Not yet." });
		await own.getByRole("button", { name: "Save the grade" }).click();
		await own.getByText("Another person has decided meanwhile, and returned it.").waitFor();
		await own.getByText("Not yet.").waitFor();
		await checkPage(world, own, problem);
		await own.reload(); // what was typed is kept
		if ((await own.getByLabel(/^Feedback/).inputValue()) !== "Well done.") problem("a reload after the decision of another grader loses the feedback");
		await own.getByLabel("Add files: Files of the feedback").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Notes") });
		await own.getByRole("button", { name: "Take out notes.txt" }).waitFor();
		await own.getByRole("button", { name: "Save the grade" }).click();
		await own.getByText("The grade is saved, and the student sees it.").waitFor();
		await desk.close();
		problems.forEach(problem);

		await page.reload();
		await page.getByText("Well done.").waitFor();
		await page.getByText("9 of 10").first().waitFor();
		await page.getByRole("link", { name: "notes.txt" }).waitFor();
		await page.getByText("✓ Done").waitFor();
		await checkPage(world, page, problem);

		// When the assignment was removed, and when the enrolment has ended, the work and its grade stay, and what was not submitted too.
		await callAs(world, user.userId, "PUT", route, { text: "One more.", fileIds: [] });
		const { course: now } = await callAs(world, teacher.userId, "GET", `/api/educator/courses/${courseId}`);
		now.courseContent[0].chapterContent.pop();
		await callAs(world, teacher.userId, "PATCH", `/api/educator/courses/${courseId}`, { version: now.version, courseContent: now.courseContent });
		await page.reload();
		await page.getByText("This lecture is not part of the course").waitFor();
		await page.getByText("Well done.").waitFor();
		await callAs(world, "user_admin", "DELETE", `/api/admin/enrollments/${user.userId}/${courseId}`);
		await page.reload();
		await page.getByText("This assignment is not open to you any more.").waitFor();
		await page.getByText("Your draft, which you did not submit").click();
		await page.getByText("One more.").waitFor();
		await page.getByText("Well done.").waitFor();
		await checkPage(world, page, problem);
	}, { allow: /ERR_INTERNET_DISCONNECTED|400|403/ }),

	"an administrator finds the submissions in a course": flow("Adele", async ({ world, page, problem }) => {
		await visit(world, page, "/admin/submissions");
		await page.getByRole("heading", { name: "Which course?" }).waitFor();
		await checkPage(world, page, problem);
		await page.getByLabel("Course").fill("network");
		await page.getByLabel("Course").fill(await page.locator("datalist option").first().getAttribute("value"));
		await page.locator("main .list a").first().waitFor();
		await page.waitForURL((url) => url.searchParams.get("courseId") === "home-networks");
		await visit(world, page, "/admin/courses");
		await page.getByRole("link", { name: "Submissions in Your Home Network, Explained" }).click();
		await page.locator("main .list a").first().waitFor();
		await checkPage(world, page, problem);
	}, { role: "admin" }),
};
