// Educators look at their students, one by one and in lists, and give them more attempts at a quiz.
import { readFile } from "node:fs/promises";
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { smallPages } from "./storefront_searches.mjs";
import { atBothSizes, callAs, createUser, quiet, visit } from "./storefront_watch.mjs";

// enrol creates a user and enrols them in a free course.
async function enrol(world, teacher, courseId, firstName, lastName) {
	const student = await createUser(world, `${firstName.toLowerCase()}_of_${teacher.userId}`, firstName, lastName);
	await callAs(world, student.userId, "POST", "/api/user/purchase", { courseId });
	return student;
}

export const students = {
	...atBothSizes("an educator finds the students of a course", "Teodora", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, `Tiling by ${user.name}`), other = await addCourse(world, user, `Turning by ${user.name}`);
		const [una, ulla] = [await enrol(world, user, courseId, "Una", "Ulrich"), await enrol(world, user, courseId, "Ulla", "Urban")];
		await enrol(world, user, courseId, "Uwe", "Ulrich");
		const { course } = await callAs(world, user.userId, "GET", `/api/educator/courses/${courseId}`);
		await callAs(world, una.userId, "POST", "/api/user/update-course-progress", { courseId, lectureId: course.courseContent[0].chapterContent[0].lectureId });
		await callAs(world, "user_admin", "PATCH", `/api/admin/enrollments/${ulla.userId}/${courseId}`, { expiresAt: "2031-03-01T09:00:00.000Z" });
		const names = () => page.locator(".data-table tbody bdi:first-child").allInnerTexts();
		const expectNames = async (what, want) => {
			await quiet(page);
			const shown = (await names()).filter((name) => name.startsWith("U"));
			if (shown.join() !== want.join()) problem(`${what} shows ${shown}, want ${want}`);
		};
		const save = async () => {
			const waiting = page.waitForEvent("download");
			await page.getByRole("button", { name: "Download as a file" }).dblclick();
			return readFile(await (await waiting).path(), "utf8");
		};

		// All courses: the row of a student leads to the student.
		await visit(world, page, "/teach");
		await page.getByRole("link", { name: "Uwe Ulrich" }).click();
		await page.getByRole("heading", { level: 1, name: "Uwe Ulrich" }).waitFor();
		await quiet(page);
		await visit(world, page, "/teach/students");
		await page.getByText("3 enrolments", { exact: true }).waitFor();
		await page.getByText("1 of 1 lecture", { exact: true }).waitFor();
		if ((await save()).trim().split(/\r?\n/).length !== 4) problem("the file of all students has not three rows");

		// One course: the server searches, sorts and sends pages.
		await smallPages(page);
		await page.getByRole("combobox", { name: "Course" }).selectOption({ label: `Tiling by ${user.name}` });
		await page.getByText("The first 2 students", { exact: true }).waitFor();
		await expectNames("the first page", ["Una Ulrich", "Ulla Urban"]);
		await page.getByRole("button", { name: "Show more" }).dblclick();
		await page.getByText("3 students", { exact: true }).waitFor();
		await page.getByText("Until 1 Mar 2031").waitFor();
		await checkPage(world, page, problem);
		await page.getByLabel("Order").selectOption("Latest activity first");
		await page.getByText("The first 2 students", { exact: true }).waitFor();
		await expectNames("the order of activity", ["Una Ulrich", "Uwe Ulrich"]);
		const search = page.getByRole("searchbox", { name: "Search students" });
		await search.fill("ulr");
		await page.getByText("2 students", { exact: true }).waitFor();
		await expectNames("a search", ["Una Ulrich", "Uwe Ulrich"]);
		await page.reload(); // the address holds the course, the order and the words
		await page.getByText("2 students", { exact: true }).waitFor();
		await search.fill("nobody");
		await page.getByText("Nobody in this course has a name with “nobody”.").waitFor();
		await checkPage(world, page, problem);
		if (!/^\uFEFF?studentId,/.test(await save())) problem("the file of a course has no heading");
		await page.getByRole("combobox", { name: "Course" }).selectOption({ label: `Turning by ${user.name}` });
		await search.fill("");
		await page.getByRole("link", { name: "Open its page" }).waitFor();
		await quiet(page);

		// A question and a review name their author, and lead to the page of the student.
		await callAs(world, ulla.userId, "POST", "/api/community/posts", { courseId, title: "Which tiles?", content: "I have none." });
		await callAs(world, ulla.userId, "POST", "/api/user/add-rating", { courseId, rating: 4, review: "Cold, and good." });
		for (const path of ["/teach/questions", "/teach/reviews"]) {
			await visit(world, page, path);
			await page.getByRole("link", { name: "The student: Ulla Urban" }).click();
			await page.getByRole("heading", { level: 1, name: "Ulla Urban" }).waitFor();
			await quiet(page);
		}

		// The page of a student says what to do when the enrolment has ended.
		await callAs(world, "user_admin", "DELETE", `/api/admin/enrollments/${ulla.userId}/${courseId}`);
		await visit(world, page, `/teach/courses/${courseId}/students/${ulla.userId}`);
		await page.getByText("This person is not enrolled in the course any more").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Students of the course" }).click();
		await page.getByText("2 students", { exact: true }).waitFor();
		await quiet(page);
	}, { role: "educator", allow: /404/ }),

	...atBothSizes("an educator reads an attempt and gives one student more", "Theda", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, `Tests by ${user.name}`);
		const { course } = await callAs(world, user.userId, "GET", `/api/educator/courses/${courseId}`), { chapterId } = course.courseContent[0];
		const route = `/api/educator/courses/${courseId}/quizzes/${chapterId}`;
		await callAs(world, user.userId, "PUT", route, { settings: { attempts: 1, review: "never" }, questions: [{ kind: "number", question: "What is 6 × 7?", answer: 42 }, { kind: "true-false", question: "Zero is even.", answer: true }] });
		const student = await enrol(world, user, courseId, "Ute", "Unger");
		const { attempt } = await callAs(world, student.userId, "POST", "/api/quiz/attempts", { courseId, chapterId });
		await callAs(world, student.userId, "POST", `/api/quiz/attempts/${attempt._id}/submit`, { answers: { [attempt.questions.find(({ kind }) => kind === "number").questionId]: 41 } });
		const attemptsLeft = async () => (await callAs(world, student.userId, "GET", `/api/quiz/attempts?courseId=${courseId}&chapterId=${chapterId}`)).attemptsLeft;

		await visit(world, page, `/teach/courses/${courseId}/quizzes/${chapterId}/results`);
		await page.getByRole("link", { name: /^Answers of Ute Unger/ }).click();
		await page.getByText("What is 6 × 7?").waitFor();
		await page.getByText("answer of the student").waitFor();
		await page.getByText("Not answered").waitFor();
		await quiet(page);
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Ute Unger" }).click();
		await page.getByRole("heading", { level: 1, name: "Ute Unger" }).waitFor();
		await page.locator("summary", { hasText: "1 attempt" }).click();
		await page.getByRole("link", { name: /^Answers, / }).waitFor();
		await page.locator("summary", { hasText: "More attempts" }).click();
		await page.getByText("The quiz allows 1 attempt. Ute Unger has no more than these.").waitFor();
		const more = page.getByLabel("Attempts beyond the 1 of the quiz");
		await more.fill("11");
		await page.getByRole("button", { name: "Save the attempts" }).click();
		await page.getByText("A whole number from 0 to 10.").waitFor();
		await checkPage(world, page, problem);
		await more.fill("2");
		await more.press("Enter");
		await page.getByText("The quiz allows 1 attempt. Ute Unger has 2 more.").waitFor();
		if ((await attemptsLeft()) !== 2) problem(`the student has ${await attemptsLeft()} attempts left, want 2`);
		await page.reload();
		await page.locator("summary", { hasText: "More attempts" }).click();
		await page.getByText("The quiz allows 1 attempt. Ute Unger has 2 more.").waitFor();
		await page.locator("summary", { hasText: "1 attempt" }).click();
		await page.getByRole("link", { name: /^Answers, / }).click();
		await page.getByRole("link", { name: "All results of the quiz" }).waitFor();
		await quiet(page);
	}, { role: "educator" }),
};
