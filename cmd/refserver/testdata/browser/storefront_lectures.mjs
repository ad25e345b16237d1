// Courses with lectures of several kinds: what is promised before buying, and how a student goes through them.
import { readFile } from "node:fs/promises";
import { addCourse, picture } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, createUser, flow, quiet, sizes, token, until, visit } from "./storefront_watch.mjs";

// files are those of the demo's lectures.
const files = new URL("../../demo/files", import.meta.url).pathname;

// fill gives a new course of a teacher chapters, with a lecture of each kind that is named, and terms. It returns the course.
async function fill(world, teacher, title, chapters, terms = {}) {
	const courseId = await addCourse(world, teacher, title), path = `/api/educator/courses/${courseId}`;
	const { course } = await callAs(world, teacher.userId, "GET", path);
	const courseContent = [];
	for (const [i, lectures] of chapters.entries()) {
		const chapterContent = [];
		for (const [j, kind] of lectures.entries()) chapterContent.push({ lectureTitle: `${kind} ${i + 1}.${j + 1}`, lectureDuration: 2, lectureOrder: j + 1, isPreviewFree: false, ...await material(world, teacher, kind) });
		courseContent.push({ chapterTitle: `Part ${i + 1}`, chapterOrder: i + 1, chapterContent });
	}
	return (await callAs(world, teacher.userId, "PATCH", path, { version: course.version, courseContent, terms })).course;
}

// material returns the material of a lecture. Those of the kinds pdf and picture are files.
async function material(world, teacher, kind) {
	const text = "# In short\n\nRouters ask.";
	switch (kind) {
		case "text": return { kind, text };
		case "assignment": return { kind, text, assignment: { instructions: "Draw it.", rubric: [], files: false } };
		case "embed": return { kind, lectureUrl: "https://vimeo.com/1084537" };
		case "video": return { kind, text, fileId: await store(world, teacher, "packet.webm"), attachments: [{ title: "A sheet", fileId: await store(world, teacher, "worksheet.pdf") }] };
		case "pdf": return { kind: "file", fileId: await store(world, teacher, "worksheet.pdf") };
		default: return { kind: "file", fileId: await store(world, teacher, "picture.png", picture) };
	}
}

// store uploads a file of an educator and returns its id.
async function store(world, { userId }, name, content) {
	const form = new FormData();
	form.set("file", new Blob([content ?? await readFile(`${files}/${name}`)]), name);
	const answer = await fetch(world.api + "/api/educator/files", { method: "POST", headers: { Authorization: `Bearer ${await token(world, userId)}` }, body: form });
	return (await answer.json()).file.fileId;
}

// prepare creates a teacher with a course, in which the user is enrolled.
async function prepare(world, user, title, chapters, terms) {
	const teacher = await createUser(world, `teacher_of_${user.userId}`, "Tilda", "Example", "educator");
	const course = await fill(world, teacher, title, chapters, terms);
	await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course._id });
	const { courseData } = await callAs(world, user.userId, "GET", `/api/user/enrolled-courses/${course._id}`);
	return { teacher, courseId: course._id, chapters: courseData.courseContent, lectures: courseData.courseContent.flatMap(({ chapterContent }) => chapterContent) };
}

const boxOf = (locator) => locator.evaluate((element) => { const { top, bottom } = element.getBoundingClientRect(); return { top: top + scrollY, bottom: bottom + scrollY }; });

export const lectures = {
	...atBothSizes("a course promises what it has, and a quiz only where there is one", "Prova", async ({ world, page, user, problem }) => {
		const { teacher, courseId, chapters, lectures: [text, , , last] } = await prepare(world, user, "Promises", [["text", "assignment"], ["embed", "text"]], { certificate: { quizzes: true, assignments: true } });
		await visit(world, page, `/courses/${courseId}`);
		const found = await page.locator("main").innerText();
		if (/quiz after|A quiz|^Quiz$/m.test(found)) problem(`a course without a quiz promises one: ${found.match(/.*quiz.*/gi)}`);
		await page.getByText("1 assignment that the educator grades").waitFor();
		await page.getByText("every lecture is done, every quiz that the educator has written is passed and every assignment is graded").waitFor();
		await page.locator(".lecture-row", { hasText: "assignment 1.2" }).getByText("Assignment", { exact: true }).waitFor();
		await page.locator("summary", { hasText: "Part 2" }).click();
		await page.locator(".lecture-row", { hasText: "embed 2.1" }).getByText("Page of another site", { exact: true }).waitFor();
		await checkPage(world, page, problem);

		// No quiz in the content either, nor after the last lecture of a chapter.
		await visit(world, page, `/learn/${courseId}/lectures/${last.lectureId}`);
		const list = page.getByRole("navigation", { name: "Course content" });
		if (await list.getByRole("link", { name: /^\?? ?Quiz/ }).count()) problem("the content of a course without quizzes leads to one");
		if (await page.getByRole("button", { name: /take the quiz/ }).count()) problem("a chapter without a quiz leads to one");

		// With a quiz of one chapter there is one.
		await callAs(world, teacher.userId, "PUT", `/api/educator/courses/${courseId}/quizzes/${chapters[0].chapterId}`, { questions: [{ kind: "true-false", question: "Zero is even.", answer: true }] });
		await page.goto(`${world.storefront}/learn/${courseId}/lectures/${text.lectureId}`);
		await quiet(page);
		if ((await list.getByRole("link", { name: /Quiz/ }).count()) !== 1) problem("the content does not lead to the one quiz");
		await visit(world, page, `/courses/${courseId}`);
		await page.locator(".benefits").getByText("A quiz", { exact: true }).waitFor();
	}),

	"an attempt is not passed, or its group is told, but not both": flow("Paschal", async ({ world, page, user, problem }) => {
		const { teacher, courseId, chapters: [{ chapterId }] } = await prepare(world, user, "Passing", [["text"]]);
		const truth = (question, points) => ({ kind: "true-false", question, answer: true, points });
		const { quiz } = await callAs(world, teacher.userId, "PUT", `/api/educator/courses/${courseId}/quizzes/${chapterId}`, { settings: { attempts: 2, passPercent: 80 }, questions: [truth("Zero is even.", 3), truth("One is odd.", 2)] });
		const { attempt } = await callAs(world, user.userId, "POST", "/api/quiz/attempts", { courseId, chapterId });
		const { result } = await callAs(world, user.userId, "POST", `/api/quiz/attempts/${attempt._id}/submit`, { answers: { [quiz.questions[0].questionId]: true } });
		if (result.percentage !== 60 || result.group !== "on_track" || result.passed) problem(`the result is ${JSON.stringify(result)}`);
		await visit(world, page, `/learn/${courseId}/quiz/${chapterId}?attempt=${attempt._id}`);
		await page.getByText("Not passed", { exact: true }).waitFor();
		for (const path of [`/learn/${courseId}/quiz/${chapterId}?attempt=${attempt._id}`, `/learn/${courseId}/quiz/${chapterId}`, "/learn/results"]) {
			await visit(world, page, path);
			await page.getByText("60 %").first().waitFor();
			if (await page.getByText("On track").count()) problem(`${path} says "On track" of an attempt that is not passed`);
			await checkPage(world, page, problem);
		}
	}),

	"notes, tutor and content stand below a film on a phone": flow("Phonia", async ({ world, page, user, problem }) => {
		const { courseId, lectures: [video] } = await prepare(world, user, "Phones", [["video", "text", "text"]]);
		await visit(world, page, `/learn/${courseId}/lectures/${video.lectureId}`);
		const [film, beside, more, questions] = [page.locator("main video"), page.getByRole("tablist", { name: "Beside the lecture" }), page.locator("main .lecture, main :is(h2,h3)", { hasText: "In short" }).first(), page.getByRole("heading", { name: /^Questions/ })];
		const tops = [await boxOf(film), await boxOf(beside), await boxOf(more), await boxOf(questions)];
		if (tops.some(({ top }, i) => i > 0 && top < tops[i - 1].bottom)) problem(`film, notes, text and questions stand at ${JSON.stringify(tops)}`);
		if (tops[1].top - tops[0].bottom > 350) problem(`the notes are ${tops[1].top - tops[0].bottom} pixels below the film`);
		await checkPage(world, page, problem);
		// The order of the keyboard is the same.
		const isInOrder = await page.evaluate(() => Boolean(document.querySelector("main video").compareDocumentPosition(document.querySelector("[role=tablist]")) & document.querySelector("[role=tablist]").compareDocumentPosition(document.querySelector(".attachments")) & Node.DOCUMENT_POSITION_FOLLOWING));
		if (!isInOrder) problem("the keyboard reaches the parts in another order");
	}, sizes.phone),

	...atBothSizes("after a film comes the next lecture", "Nessa", async ({ world, page, user, problem }) => {
		const { courseId, lectures: [video, next] } = await prepare(world, user, "Films", [["video", "text"]]);
		const done = async () => (await callAs(world, user.userId, "POST", "/api/user/get-course-progress", { courseId })).progressData?.lectureCompleted ?? [];
		const end = () => page.locator("main video").evaluate((p) => { p.currentTime = p.duration - 0.3; return p.play(); });
		await visit(world, page, `/learn/${courseId}/lectures/${video.lectureId}`);
		await page.waitForFunction(() => document.querySelector("main video").readyState > 0);
		await end();
		await page.getByText(`This lecture is over. Next: ${next.lectureTitle}`).waitFor();
		if (await page.getByText(/^It opens in/).count()) problem("the next lecture opens by itself for a reader who wants no movement");
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Stay here" }).press("Enter");
		await page.getByText("This lecture is over.").waitFor({ state: "hidden" });
		if ((await done()).length) problem("staying marks the lecture as done");

		// It waits while the reader writes, and else opens after some seconds.
		await page.emulateMedia({ reducedMotion: "no-preference" });
		await page.getByRole("tab", { name: "Notes" }).click();
		await page.getByLabel("Note", { exact: true }).focus();
		await end();
		await page.getByText("This lecture is over.").waitFor();
		if (await page.getByText(/^It opens in/).count()) problem("the next lecture opens by itself while a note is written");
		await page.getByLabel("Note", { exact: true }).blur();
		await end();
		await page.getByText(/^It opens in \d seconds?\.$/).waitFor();
		await page.getByRole("heading", { level: 1, name: next.lectureTitle }).waitFor();
		await quiet(page);
		if ((await done()).join() !== video.lectureId) problem(`after the film ${await done()} is done`);
	}),

	...atBothSizes("PDFs and pictures are shown in the page", "Pia", async ({ world, context, page, user, problem }) => {
		const { courseId, lectures: [pdf, image, video] } = await prepare(world, user, "Papers", [["pdf", "picture", "video"]]);
		const open = (lecture) => visit(world, page, `/learn/${courseId}/lectures/${lecture.lectureId}`);
		// This browser has no viewer of PDFs: the link is enough.
		await open(pdf);
		await page.getByRole("link", { name: "Open the file in a new tab" }).waitFor();
		if (await page.locator("main iframe").count()) problem("a PDF is put into the page of a browser that cannot show it");
		await open(image);
		await page.getByRole("img", { name: image.lectureTitle }).evaluate((img) => img.decode());
		await page.getByRole("link", { name: "Open the file in a new tab" }).waitFor();
		await checkPage(world, page, problem);
		// The server lets the page frame such files: else the frame would report an error. It is a picture, because this browser
		// saves PDFs.
		await page.locator("main img.file-picture").evaluate((img) => new Promise((resolve) => {
			const frame = document.createElement("iframe");
			frame.onload = () => { frame.remove(); resolve(); };
			frame.src = img.src;
			document.body.append(frame);
		}));
		await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "pdfViewerEnabled", { get: () => true }));
		await page.route((url) => url.pathname.startsWith("/material/") && url.searchParams.get("type") === "application/pdf", (route) => route.fulfill({ contentType: "text/html", body: "<title>PDF</title>A viewer" }));
		await page.goto(`${world.storefront}/learn/${courseId}/lectures/${pdf.lectureId}`);
		await page.frameLocator("main iframe").getByText("A viewer").waitFor();
		await checkPage(world, page, problem);
		await open(video);
		await page.getByText("Show it on this page").press("Enter");
		await page.frameLocator("main .attachments iframe").getByText("A viewer").waitFor();
		await until(async () => (await page.locator("main .attachments iframe").getAttribute("title")) === "A sheet", "the frame to have a name");
		await checkPage(world, page, problem);
	}, { allow: /origin-keyed agent cluster/ }), // which does not hold for a picture in a frame
};
