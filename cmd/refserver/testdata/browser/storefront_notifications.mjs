// Being told of what others do: the bell, the list and the settings, and announcements.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, createUser, quiet, visit } from "./storefront_watch.mjs";

export const notifications = {
	...atBothSizes("be told of a reply and of an announcement", "Nota", async ({ world, page, user, problem }) => {
		const teacher = await createUser(world, `teacher_of_${user.userId}`, "Tilda", "Teach", "educator");
		const courseId = await addCourse(world, teacher, `Bells by ${user.name}`);
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId });
		const { post } = await callAs(world, user.userId, "POST", "/api/community/posts", { title: "Which <b>bell</b>?", content: "I have two." });
		await visit(world, page, "/learn");
		await page.getByRole("link", { name: "Notifications", exact: true }).waitFor();
		await callAs(world, teacher.userId, "POST", `/api/community/posts/${post._id}/replies`, { content: "The larger one." });
		await page.getByRole("link", { name: "Notifications: 1 not read" }).click();
		await page.getByRole("heading", { level: 1, name: "Notifications" }).waitFor();
		await quiet(page);
		await checkPage(world, page, problem);
		await page.getByRole("link", { name: "Tilda Teach has replied to “Which <b>bell</b>?”" }).click();
		await page.getByText("The larger one.").waitFor();
		await page.getByRole("link", { name: "Notifications", exact: true }).waitFor(); // nothing is left

		await callAs(world, teacher.userId, "POST", `/api/educator/courses/${courseId}/announcements`, { title: "A new bell", text: "It is **loud**." });
		await page.getByRole("link", { name: "Notifications: 1 not read" }).click();
		await page.getByRole("link", { name: /^Announcement in Bells by .*: A new bell$/ }).click();
		await page.locator("strong", { hasText: "loud" }).waitFor();
		await quiet(page);
		await checkPage(world, page, problem);

		await visit(world, page, "/notifications");
		await page.getByText("What you are told of").click();
		await page.getByLabel("Replies to my posts").uncheck();
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The settings are saved.").waitFor();
		const { muted } = await callAs(world, user.userId, "GET", "/api/user/notifications/settings");
		if (muted.join() !== "reply.created") problem(`muted are ${muted}`);
		await quiet(page);
	}),

	...atBothSizes("announce something and delete it", "Annika", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, `Calls by ${user.name}`);
		await visit(world, page, `/teach/courses/${courseId}`);
		await page.getByRole("link", { name: "Announcements" }).click();
		await page.getByText("Nothing announced yet").waitFor();
		await page.getByLabel("Title").fill("Tomorrow");
		await page.getByLabel("Text").fill("We **meet** at ten.");
		await page.reload(); // what is typed stays
		await page.getByRole("button", { name: "Announce" }).dblclick();
		await page.getByRole("heading", { name: "Tomorrow" }).waitFor();
		await quiet(page);
		await checkPage(world, page, problem);
		const path = `/api/educator/courses/${courseId}/announcements`;
		const { announcements } = await callAs(world, user.userId, "GET", path);
		if (announcements.length !== 1) problem(`one announcement is there ${announcements.length} times`);
		await page.getByRole("button", { name: "Delete: Tomorrow" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
		await page.getByText("Nothing announced yet").waitFor();
		await quiet(page);
		if ((await callAs(world, user.userId, "GET", path)).announcements.length !== 0) problem("the announcement is not deleted");
	}, { role: "educator" }),
};
