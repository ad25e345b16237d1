// Educators edit their courses.
import { addCourse, picture } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { callAs, counter, flow, quiet, visit } from "./storefront_watch.mjs";

export const editing = {
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
