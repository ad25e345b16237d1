// Educators sell several courses together, and students buy them.
import { addCourse, picture } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { admin, twice } from "./storefront_payments.mjs";
import { atBothSizes, callAs, counter, createUser, openContext, quiet, visit } from "./storefront_watch.mjs";

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
		await page.getByRole("link", { name: "View as a buyer" }).waitFor();
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
		if (await page.getByRole("link", { name: "View as a buyer" }).isVisible()) problem("a bundle that is not published has a page");
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

	...atBothSizes("buy a bundle, and refund one of its courses", "Bunda", async ({ world, page, user, problem }) => {
		const teacher = await createUser(world, `${user.userId}_teacher`, "Theda", "Example", "educator"), title = `Paper for ${user.name}`;
		const courseIds = [await addCourse(world, teacher, "Folding", 200), await addCourse(world, teacher, "Binding", 100)];
		const { bundle } = await callAs(world, teacher.userId, "POST", "/api/educator/bundles", { title, courseIds, price: 240 });
		const enrolled = () => page.getByRole("heading", { name: "You are enrolled" }).waitFor();

		// With the keyboard from the list to the gateway.
		await visit(world, page, "/bundles");
		await page.getByRole("link", { name: title }).press("Enter");
		await page.getByRole("heading", { level: 1, name: title }).waitFor();
		await page.getByText("You save ₹60").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Buy for ₹240" }).press("Enter");
		await page.getByRole("button", { name: "Pay ₹240" }).press("Enter");
		await page.getByRole("link", { name: "Cancel and go back" }).click();
		await page.getByText("The bundle is still there for you.").waitFor();
		await page.goto(world.storefront + "/learn/purchases");
		await page.getByRole("link", { name: `Go to the checkout: ${title}` }).click();
		await page.getByRole("button", { name: "Pay ₹240" }).click();
		await page.getByRole("button", { name: /^Pay INR 240/ }).click();
		await enrolled();
		await page.reload();
		await enrolled();
		await checkPage(world, page, problem);
		await visit(world, page, `/bundles/${bundle._id}`);
		await page.getByText("You have all these courses").waitFor();
		await visit(world, page, "/learn/purchases");
		await page.getByRole("heading", { name: title }).waitFor();

		// An administrator gives the money for one of the courses back.
		const problems = [], office = await openContext(world, problems, { user: await admin(world), ...page.viewportSize() }), desk = await office.newPage();
		await visit(world, desk, `/admin/purchases?q=${encodeURIComponent(user.name)}`);
		await desk.getByText("Bundle", { exact: true }).waitFor();
		const refunds = counter(desk, /^POST .*\/refund$/), dialog = desk.getByRole("dialog");
		await desk.getByRole("button", { name: `Refund ${title} to ${user.name}` }).click();
		await dialog.getByText("Chosen courses").click();
		await dialog.getByRole("button", { name: "Refund" }).click();
		await dialog.getByText("Choose at least one course.").waitFor();
		await dialog.getByRole("checkbox", { name: "Binding" }).press("Space");
		await dialog.getByText(/^₹80\.00 is paid back, and the enrolment in Binding ends/).waitFor();
		await checkPage(world, desk, problem);
		await dialog.getByRole("button", { name: "Refund" }).dblclick();
		await dialog.waitFor({ state: "detached" });
		await desk.getByRole("link", { name: title }).click();
		await desk.getByRole("heading", { name: "Courses" }).waitFor();
		await desk.getByText("₹80.00 refunded").waitFor();
		await checkPage(world, desk, problem);
		if (refunds() !== 1) problem(`one refund is asked for ${refunds()} times`);
		await office.close();
		problems.forEach(problem);
		const { user: record } = await callAs(world, user.userId, "GET", "/api/user/data");
		if (record.enrolledCourses.join() !== courseIds[0]) problem(`after the refund the student has ${record.enrolledCourses}`);
	}, twice),
};
