// Administrators look at a user, and at what the staff has decided.
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, createUser, flow, json, quiet, until, visit } from "./storefront_watch.mjs";

export const decisions = {
	...atBothSizes("look at a user and what was decided about them", "Dana", async ({ world, page, user, problem }) => {
		const student = await createUser(world, `decided_${user.userId}`, "Deniz", user.userId.replace("flow_", "of "));
		for (const courseId of ["go-first-steps", "git-for-teams"]) await callAs(world, user.userId, "POST", "/api/admin/enrollments", { userId: student.userId, courseId, reason: `Prize for ${courseId}` });
		await callAs(world, user.userId, "DELETE", `/api/admin/enrollments/${student.userId}/git-for-teams`);

		await visit(world, page, `/admin/users?q=${encodeURIComponent(student.name)}`);
		await page.getByRole("link", { name: student.name }).focus();
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: student.name, level: 1 }).waitFor();
		await page.getByText(`${student.userId}@example.com`).waitFor();
		await page.getByText("Nothing was ordered.").waitFor();
		await page.getByText(/^Ended /).waitFor();
		if ((await page.getByText("Prize for go-first-steps").count()) !== 2) problem("the reason is not shown with the enrolment and with the decision");
		await checkPage(world, page, problem);

		await page.getByRole("link", { name: "Show all enrolments" }).click();
		await page.getByRole("button", { name: `End the enrolment of ${student.name} in Go: First Steps` }).waitFor();
		await page.getByRole("link", { name: student.name }).first().click();
		await page.getByRole("link", { name: "Show all decisions" }).click();
		await page.getByText("Enrolment ended", { exact: true }).waitFor();
		await quiet(page);
		const expect = async (want) => {
			await quiet(page);
			const shown = await page.locator("main .card.list > li > p:first-child > .badge").allInnerTexts();
			if (shown.join() !== want) problem(`the decisions are ${shown}, want ${want}`);
		};
		await expect("Enrolment ended,Enrolled by hand,Enrolled by hand");
		if ((await page.getByRole("main").getByRole("link", { name: user.name }).count()) !== 3) problem("the decisions do not name who has decided");
		await checkPage(world, page, problem);
		await page.getByLabel("Course").selectOption({ label: "Go: First Steps" });
		await page.waitForURL((url) => url.searchParams.get("courseId") === "go-first-steps");
		await expect("Enrolled by hand");
		await page.getByLabel("Course").selectOption("drawing-foundations");
		await page.getByRole("heading", { name: "No decisions" }).waitFor();
		await checkPage(world, page, problem);
	}, { role: "admin" }),

	"look at a deleted user": flow("Delia", async ({ world, page, user, problem }) => {
		const student = await createUser(world, "flow_deleted", "Gone");
		await callAs(world, user.userId, "POST", "/api/admin/enrollments", { userId: student.userId, courseId: "go-first-steps", reason: "A prize" });
		await json(`${world.sandbox}/sandbox/users/${student.userId}`, { method: "DELETE" });
		await until(async () => (await callAs(world, user.userId, "GET", `/api/admin/users/${student.userId}`)).user.email === "", "the platform to delete the user");
		await visit(world, page, `/admin/users/${student.userId}`);
		await page.getByText("This account was deleted.").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Show all decisions" }).click();
		await page.getByText("Only those of one deleted user.").waitFor();
		await page.getByText("Enrolled by hand", { exact: true }).waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Show all" }).click();
		await page.getByText("Only those of one deleted user.").waitFor({ state: "detached" });
		await quiet(page);
	}, { role: "admin" }),

	"open the page of a user who does not exist": flow("Dorit", async ({ world, page, problem }) => {
		await visit(world, page, "/admin/users/nobody");
		await page.getByRole("heading", { name: "There is no such user" }).waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "See all users" }).click();
		await page.getByRole("searchbox", { name: "Search users" }).waitFor();
		await quiet(page);
	}, { role: "admin", allow: /404/ }),
};
