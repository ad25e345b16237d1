// Educators sell several courses together, and students buy them.
import { addCourse, picture } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, counter, quiet, visit } from "./storefront_watch.mjs";

export const bundles = {
	...atBothSizes("make, change and delete a bundle", "Benno", async ({ world, page, user, problem }) => {
		for (const [title, price] of [["Dyeing", 200], ["Felting", 100], ["Lacing", 150]]) await addCourse(world, user, title, price);
		const own = async () => (await callAs(world, user.userId, "GET", "/api/educator/bundles")).bundles;
		await visit(world, page, "/teach/bundles");
		await page.getByText("No bundle yet").waitFor();
		await page.getByRole("link", { name: "Make a bundle" }).first().click();
		await page.getByRole("button", { name: "Make the bundle" }).click();
		await page.getByText("A bundle has at least two courses.").waitFor();
		await page.getByLabel("Title", { exact: true }).fill("Wool");

		// Courses are chosen with the keyboard, and put in order.
		const add = page.getByLabel("Course to add");
		await add.fill("Sailing");
		await add.press("Enter");
		await page.getByText("No course has this title.").waitFor();
		for (const title of ["Dyeing", "Felting"]) {
			await add.fill(title);
			await add.press("Enter");
			await page.getByRole("button", { name: `Remove: ${title}` }).waitFor();
		}
		await page.getByText("One by one they cost ₹300.").waitFor();
		await page.getByRole("button", { name: "Move up: Felting" }).focus();
		await page.keyboard.press("Enter");
		const focus = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
		if (focus !== "Move down: Felting") problem(`after a move the focus is on ${focus}`);
		await page.getByLabel("Price", { exact: true }).fill("250");
		await page.getByLabel("Discount in per cent").fill("10");
		await checkPage(world, page, problem);
		await page.reload(); // what was typed is kept
		const posts = counter(page, /^POST /);
		await page.getByRole("button", { name: "Make the bundle" }).dblclick();
		await page.getByRole("heading", { level: 1, name: "Edit Wool" }).waitFor();
		if (posts() !== 1) problem(`one bundle is made ${posts()} times`);
		const [made] = await own();
		if (made.title !== "Wool" || made.price !== 250 || made.discount !== 10 || !made.isPublished || made.courses.map((c) => c.courseTitle).join() !== "Felting,Dyeing") problem(`the bundle is ${JSON.stringify(made)}`);

		// Another tab saves another change: both are kept.
		const path = `/api/educator/bundles/${made._id}`;
		await page.locator("#course-picture").setInputFiles({ name: "wool.png", mimeType: "image/png", buffer: picture });
		await page.getByRole("button", { name: "Use this picture" }).dblclick();
		await page.getByText("The bundle has its new picture.").waitFor();
		await quiet(page);
		const [shown] = await own();
		if (!shown.thumbnail) problem("the bundle has no picture");
		await callAs(world, user.userId, "PATCH", path, { version: shown.version, price: 240, title: "Wool and more" });
		await page.getByLabel("Title", { exact: true }).fill("Wool for all");
		await page.getByRole("button", { name: "Remove: Dyeing" }).click();
		await add.fill("Lacing");
		await page.getByRole("button", { name: "Add the course" }).click();
		const save = page.getByRole("button", { name: "Save the changes" });
		await save.click();
		await page.getByText("The other change is about the title too").waitFor();
		if ((await page.getByLabel("Price", { exact: true }).inputValue()) !== "240") problem("the newest state is not shown below what was typed");
		await checkPage(world, page, problem);
		await page.getByText("Not published", { exact: true }).click();
		let sent = {};
		page.on("request", (r) => { if (r.method() === "PATCH") sent = r.postDataJSON(); });
		await save.dblclick();
		await page.getByText("The bundle is no longer published.").waitFor();
		if (Object.keys(sent).sort().join() !== "courseIds,isPublished,title,version") problem(`what is sent is ${Object.keys(sent)}`);
		const [changed] = await own();
		if (changed.title !== "Wool for all" || changed.price !== 240 || changed.isPublished || changed.courses.map((c) => c.courseTitle).join() !== "Felting,Lacing") problem(`the changed bundle is ${JSON.stringify(changed)}`);

		await visit(world, page, "/teach/bundles");
		await page.getByText("Not published").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Edit Wool for all" }).click();
		await page.getByRole("button", { name: "Delete this bundle" }).click();
		await page.getByRole("button", { name: "Delete the bundle" }).dblclick();
		await page.getByText("The bundle is deleted.").waitFor();
		await page.getByText("No bundle yet").waitFor();
		if ((await own()).length !== 0) problem("the deleted bundle is still there");
	}, { role: "educator", allow: /409/ }),
};
