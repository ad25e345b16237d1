// Administrators enrol people by hand and end enrolments.
import { checkPage } from "./storefront_pages.mjs";
import { callAs, createUser, flow, quiet, visit } from "./storefront_watch.mjs";

export const enrolments = {
	"enrol a person by hand and end the enrolment": flow("Enno", async ({ world, page, problem }) => {
		const student = await createUser(world, "flow_granted", "Grace", "Granted");
		await visit(world, page, "/admin/enrolments");
		for (const answer of ["Grace Granted is enrolled.", "Grace Granted was enrolled already; nothing has changed."]) {
			await page.getByRole("button", { name: "Enrol a person" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByLabel("Person").fill("flow_granted@example.com");
			await dialog.getByLabel("Course").selectOption({ label: "Go: First Steps" });
			await dialog.getByLabel(/^Reason/).fill("Paid by invoice.");
			await checkPage(world, page, problem);
			await dialog.getByRole("button", { name: "Enrol" }).dblclick();
			await page.getByText(answer).waitFor();
		}
		await page.getByLabel(/^Person/).fill("flow_granted@example.com");
		await page.waitForURL((url) => url.searchParams.get("userId") === student.userId);
		await page.getByText("By hand", { exact: true }).waitFor();
		if ((await callAs(world, student.userId, "GET", "/api/user/data")).user.enrolledCourses.join() !== "go-first-steps") problem("the person is not enrolled");
		await page.getByRole("button", { name: "End the enrolment of Grace Granted in Go: First Steps" }).click();
		await page.getByRole("button", { name: "End the enrolment", exact: true }).dblclick();
		await page.getByText(/^Ended /).waitFor();
		await quiet(page);
		if ((await callAs(world, student.userId, "GET", "/api/user/data")).user.enrolledCourses.length !== 0) problem("the enrolment has not ended");
	}, { role: "admin" }),
};
