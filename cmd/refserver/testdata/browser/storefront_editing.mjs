// Educators edit their courses.
import { readFile } from "node:fs/promises";
import { addCourse, picture } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, counter, flow, quiet, token, until, visit } from "./storefront_watch.mjs";

// files are those of the demo's lectures.
const files = new URL("../../demo/files", import.meta.url).pathname;

// breakAnswers breaks the connection of the last question of an upload, whether the file is stored. It returns how often it
// was asked.
async function breakAnswers(page, upload) {
	let asked = 0;
	await page.route(upload, (route) => (route.request().method() === "GET" && ++asked === 1 ? route.abort("connectionreset") : route.fallback()));
	return () => asked;
}

// breakUploads breaks the connection of the first request with the demo's video, after 10,000 bytes of it. It returns the
// offsets of all such requests.
async function breakUploads(world, page, user, upload) {
	const offsets = [], video = await readFile(`${files}/packet.webm`), authorization = `Bearer ${await token(world, user.userId)}`;
	await page.route(upload, async (route) => {
		const request = route.request(), offset = request.headers()["upload-offset"];
		if (request.method() !== "PATCH") return route.continue();
		if (offsets.push(offset) > 1) return route.continue();
		await fetch(request.url(), { method: "PATCH", body: video.subarray(0, 10_000), headers: { authorization, "tus-resumable": "1.0.0", "upload-offset": offset, "content-type": "application/offset+octet-stream" } });
		return route.abort("connectionreset");
	});
	return offsets;
}

export const editing = {
	"write the terms of a course": flow("Termina", async ({ world, page, user, problem }) => {
		const first = await addCourse(world, user, "Carding");
		const courseId = await addCourse(world, user, "Spinning in order"), path = `/api/educator/courses/${courseId}`;
		const read = async () => (await callAs(world, user.userId, "GET", path)).course;
		const save = async () => { await page.getByRole("button", { name: "Save the changes" }).click(); await page.getByText("Everything is saved.").waitFor(); };
		await visit(world, page, `/teach/courses/${courseId}`);
		await page.locator("summary", { hasText: "Access has no end" }).click();
		await page.getByLabel("Days of access").fill("0");
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("A whole number from 1 to 3,650.").waitFor();
		await page.getByLabel("Days of access").fill("90");
		await page.getByLabel("One lecture after the other").check();
		await page.getByLabel("Courses to complete before").fill("Carding");
		await page.getByRole("button", { name: "Remove Carding" }).waitFor();
		await page.locator("summary", { hasText: "90 days of access, one lecture after the other, after 1 other course" }).waitFor();
		await page.locator("summary", { hasText: "Chapter 1: " }).click();
		await page.getByLabel("The chapter opens").selectOption("Some days after the enrolment");
		await page.getByLabel("Days after the enrolment").fill("7");
		await checkPage(world, page, problem);
		await save();
		let course = await read();
		if (course.terms.days !== 90 || !course.terms.inOrder || course.terms.requires?.[0] !== first || course.courseContent[0].opens?.afterDays !== 7) problem(`the terms are ${JSON.stringify([course.terms, course.courseContent[0].opens])}`);

		// A course that another program has given an end to the second, of which nothing is changed here.
		await callAs(world, user.userId, "PATCH", path, { version: course.version, terms: { ...course.terms, until: "2031-03-01T09:00:30Z" } });
		await page.reload();
		await page.locator("summary", { hasText: "What a certificate asks" }).click();
		await page.getByLabel("All quizzes that you have written are passed").check();
		await save();
		course = await read();
		if (course.terms.days !== 90 || course.terms.until !== "2031-03-01T09:00:30.000Z" || !course.terms.certificate?.quizzes || course.courseContent[0].opens?.afterDays !== 7) problem(`after a change of another part the terms are ${JSON.stringify([course.terms, course.courseContent[0].opens])}`);
	}, { role: "educator" }),

	"edit, unpublish and delete a course": flow("Edwina", async ({ world, page, user, problem }) => {
		const path = `/api/educator/courses/${await addCourse(world, user, "Weaving", 100)}`;
		await visit(world, page, "/teach");
		await page.getByRole("link", { name: "Edit Weaving" }).click();
		await page.getByRole("heading", { level: 1, name: "Edit Weaving" }).waitFor();
		await page.getByLabel("Title", { exact: true }).fill("Weaving by hand");
		await page.getByText("There are changes to save.").waitFor();
		await page.locator("summary", { hasText: "Chapter 1: Weaving" }).click();
		await page.getByRole("button", { name: "Add a lecture" }).click();
		await page.getByLabel("Title of the lecture").nth(1).fill("The loom");
		await page.getByLabel("Minutes").nth(1).fill("7");
		await page.getByLabel("Web address of the video or page").nth(1).fill("https://videos.example.com/loom");
		await page.locator("summary", { hasText: "What a certificate asks" }).click();
		await page.getByLabel("All quizzes that you have written are passed").check();
		await checkPage(world, page, problem);
		const saves = counter(page, /^PATCH /);
		await page.getByRole("button", { name: "Save the changes" }).dblclick();
		await page.getByText("The changes are saved.").waitFor();
		if ((await page.title()) !== "Edit Weaving by hand · Open Lectern") problem(`after saving the title of the page is ${await page.title()}`);
		if (saves() !== 1) problem(`one change is saved ${saves()} times`);

		const { course: before } = await callAs(world, user.userId, "GET", path);
		await callAs(world, user.userId, "PATCH", path, { version: before.version, coursePrice: 50, courseTitle: "Weaving for all" });
		await page.getByLabel("Title", { exact: true }).fill("Weaving at home");
		await page.getByLabel("Discount in per cent").fill("10");
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("The other change is about the title too").waitFor();
		if ((await page.getByLabel("Price", { exact: true }).inputValue()) !== "50") problem("the newest state is not shown below what was typed");
		await page.getByText("Not published", { exact: true }).click();
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("The course is no longer published.").waitFor();
		const { course } = await callAs(world, user.userId, "GET", path);
		if (course.courseTitle !== "Weaving at home" || course.coursePrice !== 50 || course.discount !== 10 || course.isPublished) problem(`the course is ${JSON.stringify(course)}`);
		if (course.courseContent[0].chapterContent[0].lectureId !== before.courseContent[0].chapterContent[0].lectureId) problem("editing gives a lecture another id");
		if (!course.terms?.certificate?.quizzes) problem(`the terms are ${JSON.stringify(course.terms)}`);

		await page.locator("#course-picture").setInputFiles({ name: "loom.png", mimeType: "image/png", buffer: picture });
		await page.getByRole("button", { name: "Use this picture" }).dblclick();
		await page.getByText("The course has its new picture.").waitFor();
		await page.getByRole("button", { name: "Delete this course" }).click();
		await page.getByRole("button", { name: "Delete the course" }).dblclick();
		await page.getByText("The course is deleted.").waitFor();
		await quiet(page);
		const { courses } = await callAs(world, user.userId, "GET", "/api/educator/courses");
		if (courses.length !== 0) problem("the deleted course is still there");
	}, { role: "educator", allow: /409/ }),

	...atBothSizes("lectures of all kinds are made in the editor", "Kinda", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, "Kinds"), path = `/api/educator/courses/${courseId}`;
		await visit(world, page, `/teach/courses/${courseId}`);
		await page.locator("summary", { hasText: "Chapter 1: Kinds" }).click();
		let at = 0; // the lecture that is edited
		const add = async (title, kind, minutes = "2") => {
			await page.getByRole("button", { name: "Add a lecture" }).click();
			at++;
			await page.getByLabel("Title of the lecture").nth(at).fill(title);
			await page.getByLabel("Minutes").nth(at).fill(minutes);
			await page.getByLabel("Kind", { exact: true }).nth(at).selectOption({ label: kind });
			return page.locator("main .lecture-edit").nth(at);
		};
		const video = await add("A video", "Video", "");

		// An upload that is refused, one that is cancelled, and one that is stored.
		const choose = (lecture, label, file) => lecture.getByLabel(`Choose a file: ${label}`).setInputFiles(file);
		await choose(video, "Video file", { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<!doctype html><title>No</title>") });
		await video.getByText("Only video, audio, PDF, images, zip, office documents and text are allowed").waitFor();
		const upload = (url) => url.pathname.startsWith("/api/educator/uploads");
		await page.route(upload, () => {});
		await choose(video, "Video file", `${files}/packet.webm`);
		await video.getByRole("progressbar", { name: "Upload: Video file" }).waitFor();
		await video.getByText("packet.webm, 23 KB").waitFor();
		await video.getByText("0 %", { exact: true }).waitFor();
		// The length of the film is that of the lecture, unless the educator wants another.
		const minutes = video.getByLabel("Minutes");
		await until(async () => (await minutes.inputValue()) === "0.3", "the minutes of the film");
		await minutes.fill("1,5");
		await video.getByText("Read as 1.5.").waitFor();
		await page.getByRole("button", { name: "Save the changes" }).click();
		await video.getByText("Wait until the file has been sent, or cancel it.").waitFor();
		await video.getByRole("button", { name: "Cancel" }).click();
		await page.unroute(upload);
		const offsets = await breakUploads(world, page, user, upload), asked = await breakAnswers(page, upload);
		await choose(video, "Video file", `${files}/packet.webm`);
		await video.getByRole("button", { name: "Use them" }).press("Enter");
		if ((await minutes.inputValue()) !== "0.3") problem(`the minutes are ${await minutes.inputValue()}`);
		await video.getByRole("progressbar").waitFor({ state: "hidden" });
		await video.getByText("packet.webm, 23 KB").waitFor();
		if (offsets.join() !== "0,10000") problem(`after the connection broke, the file was sent from the bytes ${offsets}`);
		if (asked() !== 2) problem(`the last question was asked ${asked()} times`);
		await page.unroute(upload);
		await video.getByRole("button", { name: "Add captions" }).click();
		await video.getByLabel("Language", { exact: true }).fill("de");
		await video.getByLabel("Language", { exact: true }).press("Tab");
		await choose(video, "WebVTT file", `${files}/packet.de.vtt`);
		await video.getByText(/^packet.de.vtt, /).waitFor();
		if ((await video.getByLabel("Name of the language").inputValue()) !== "Deutsch") problem("the language has no name");
		await video.getByRole("button", { name: "Add a file" }).click();
		await choose(video, "File", `${files}/addresses.txt`);
		await video.getByText(/^addresses.txt, /).waitFor();
		await checkPage(world, page, problem);

		await choose(await add("A sound", "Audio", ""), "Audio file", `${files}/ping.mp3`);
		const text = await add("A text", "Text");
		await text.getByLabel("Text", { exact: true }).fill("# Two\n\n**Bold** <script>alert(1)</script>");
		await text.getByRole("button", { name: "Preview the text" }).click();
		await text.locator(".text-preview h2", { hasText: "Two" }).waitFor();
		await choose(await add("A file", "File"), "File of the lecture", `${files}/worksheet.pdf`);
		const embed = await add("A page", "Page of another site");
		await embed.getByLabel("Web address of the page").fill("http://vimeo.com/1084537");
		await page.getByRole("button", { name: "Save the changes" }).click();
		await embed.getByText("An address that begins with https://.").waitFor();
		await embed.getByLabel("Web address of the page").fill("https://vimeo.com/1084537");
		await page.getByText(/^worksheet.pdf, /).waitFor();
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("The changes are saved.").waitFor();
		await page.getByText("Everything is saved.").waitFor();

		// What was stored is shown again, and a later change keeps it.
		await page.reload();
		await page.getByText("Everything is saved.").waitFor();
		await page.getByLabel(/^Description/).fill("All kinds.");
		await page.locator("summary", { hasText: "Chapter 1: Kinds" }).click();
		await page.getByLabel("Title of the lecture").nth(3).fill("A long text");
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByText("The changes are saved.").waitFor();
		const { course } = await callAs(world, user.userId, "GET", path);
		const [, ...made] = course.courseContent[0].chapterContent;
		const kinds = made.map((l) => `${l.lectureTitle}: ${l.kind} ${Boolean(l.fileId)} ${l.captions.length} ${l.attachments.map((a) => a.title)} ${l.text.length > 0}`);
		const want = ["A video: video true 1 addresses false", "A sound: audio true 0  false", "A long text: text false 0  true", "A file: file true 0  false", "A page: embed false 0  false"];
		if (kinds.join() !== want.join()) problem(`the lectures are ${kinds.join("; ")}`);
		await visit(world, page, `/learn/${courseId}/lectures/${made[0].lectureId}?as=student`);
		await page.locator("main video").evaluate((p) => p.play());
		await until(() => page.locator("main video").evaluate((p) => p.currentTime > 0), "the video to play");
	}, { role: "educator", allow: /400|ERR_CONNECTION_RESET/ }),

	"an upload goes on after a reload": flow("Uta", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, "Uploading");
		const upload = (url) => url.pathname.startsWith("/api/educator/uploads");
		const open = async () => {
			await page.locator("summary", { hasText: "Chapter 1: Uploading" }).click();
			await page.getByLabel("Kind", { exact: true }).selectOption({ label: "Video" });
		};
		const choose = () => page.getByLabel("Choose a file: Video file").setInputFiles(`${files}/packet.webm`);
		await visit(world, page, `/teach/courses/${courseId}`);
		await open();
		// The first part arrives, and the page is loaded again before the rest.
		const offsets = await breakUploads(world, page, user, upload);
		const waits = (url) => upload(url) && offsets.length === 1;
		await page.route(waits, (route) => (route.request().method() === "HEAD" ? undefined : route.fallback()));
		await choose();
		await until(() => offsets.length === 1, "the first part to be sent");
		page.on("dialog", (dialog) => dialog.accept()); // the browser asks because an upload is under way
		await page.reload();
		await page.unroute(waits);
		await page.getByText("What you typed before and did not save is here again.").waitFor();
		await page.locator("summary", { hasText: "Chapter 1: Uploading" }).click();
		// All is sent, and then there is no answer, until the page is loaded again.
		const silent = (url) => upload(url) && offsets.length === 2;
		await page.route(silent, (route) => (route.request().method() === "GET" ? undefined : route.fallback()));
		const asks = page.waitForRequest((request) => request.method() === "GET" && upload(new URL(request.url())));
		await choose();
		await asks;
		await page.reload();
		await page.unroute(silent);
		await page.locator("summary", { hasText: "Chapter 1: Uploading" }).click();
		await choose();
		await page.getByRole("progressbar").waitFor({ state: "hidden" });
		await page.getByText("packet.webm, 23 KB").waitFor();
		if (offsets.join() !== "0,10000") problem(`after a reload the file was sent from the bytes ${offsets}`);
	}, { role: "educator", allow: /ERR_CONNECTION_RESET/ }),

	...atBothSizes("a course is exported and imported", "Paka", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, "Packing");
		await visit(world, page, `/teach/courses/${courseId}`);
		const waiting = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export the course" }).dblclick();
		const download = await waiting;
		if (download.suggestedFilename() !== "Packing.zip") problem(`the package is called ${download.suggestedFilename()}`);
		const zip = await readFile(await download.path());
		await visit(world, page, "/teach/import");
		await page.getByLabel("Package", { exact: true }).setInputFiles({ name: "no.zip", mimeType: "application/zip", buffer: Buffer.from("no zip") });
		await page.getByRole("button", { name: "Import the course" }).click();
		await page.locator("main .notice.bad").waitFor();
		await page.getByLabel("Package", { exact: true }).setInputFiles({ name: "Packing.zip", mimeType: "application/zip", buffer: zip });
		await page.getByRole("button", { name: "Import the course" }).dblclick();
		await page.getByText("The draft has 1 chapter, 1 lecture, 0 files, 0 quizzes.").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Edit the draft" }).click();
		await page.getByRole("heading", { level: 1, name: "Edit Packing" }).waitFor();
		await quiet(page);
		if (page.url().endsWith(courseId)) problem("the import is the course itself");
		const { courses } = await callAs(world, user.userId, "GET", "/api/educator/courses");
		if (courses.filter((c) => !c.isPublished).length !== 1 || courses.length !== 2) problem(`${courses.length} courses are there`);
	}, { role: "educator", allow: /400/ }),

	"what was typed into a course survives a reload": flow("Rolf", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, "Rowing");
		await visit(world, page, `/teach/courses/${courseId}`);
		await page.getByLabel(/^Description/).fill("Rowing on lakes.");
		await page.reload();
		await page.getByText("What you typed before and did not save is here again.").waitFor();
		if ((await page.getByLabel(/^Description/).inputValue()) !== "Rowing on lakes.") problem("the description is lost");
		await page.getByRole("button", { name: "Discard what I typed" }).click();
		if ((await page.getByLabel(/^Description/).inputValue()) !== "Rowing".repeat(2)) problem("discarding does not show the course as it is");
	}, { role: "educator" }),
};
