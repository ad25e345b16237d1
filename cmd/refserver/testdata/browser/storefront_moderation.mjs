// Users report posts and replies, and administrators decide.
import { checkPage } from "./storefront_pages.mjs";
import { callAs, counter, createUser, flow, quiet, visit } from "./storefront_watch.mjs";

export const moderation = {
	"report a post and a reply, delete an own reply": flow("Rahel", async ({ world, page, user, problem }) => {
		const { post } = await discussion(world, "Pills for everyone");
		await visit(world, page, `/community/posts/${post._id}`);
		const reports = counter(page, /^POST .*\/report$/);
		await page.getByRole("button", { name: "Report this post" }).click();
		await page.getByRole("button", { name: "Send the report" }).click();
		await page.getByText("Please fill this in.").waitFor();
		await checkPage(world, page, problem);
		await page.getByLabel("What is wrong with it?").fill("It sells pills.");
		await page.getByRole("button", { name: "Send the report" }).dblclick();
		await page.getByText("Reported", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Report the reply of Spam Example" }).click();
		await page.getByLabel("What is wrong with it?").fill("This too.");
		await page.getByRole("button", { name: "Send the report" }).dblclick();
		await page.getByText("Reported", { exact: true }).nth(1).waitFor();
		if (reports() !== 2) problem(`two reports are sent ${reports()} times`);
		await page.getByLabel("Your reply").fill("I take this back.");
		await page.getByRole("button", { name: "Reply", exact: true }).click();
		await page.getByRole("heading", { name: "2 replies" }).waitFor();
		await page.getByRole("button", { name: `Delete the reply of ${user.name}` }).click();
		await page.getByRole("button", { name: "Delete the reply", exact: true }).dblclick();
		await page.getByRole("heading", { name: "1 reply" }).waitFor();
		await quiet(page);
		const thread = await callAs(world, user.userId, "GET", `/api/community/posts/${post._id}`);
		if (thread.post.replies.length !== 1) problem(`the post has ${thread.post.replies.length} replies`);
	}),

	"dismiss reports and remove what they are about": flow("Modesta", async ({ world, page, user, problem }) => {
		const { post, reply } = await discussion(world, "Cheap watches");
		const reporter = await createUser(world, "flow_reporter", "Renate");
		for (const [reason, replyId] of [["Modesta: an advertisement", undefined], ["Modesta: rude", reply._id]]) await callAs(world, reporter.userId, "POST", `/api/community/posts/${post._id}/report`, { reason, replyId });
		await visit(world, page, "/admin/reports");
		const written = page.locator("article", { hasText: "Modesta: rude" });
		await written.getByText("Reported by Renate Example").waitFor();
		if ((await written.getByRole("link", { name: "Spam Example" }).getAttribute("href")) !== "/admin/users?q=Spam+Example") problem("the author is no link to the search for users");
		await page.getByRole("button", { name: "Dismiss the report: Modesta: an advertisement" }).dblclick();
		await page.getByRole("button", { name: "Dismiss the report: Modesta: an advertisement" }).waitFor({ state: "detached" });
		await page.getByRole("button", { name: `Remove the reply: ${reply.content}` }).click();
		await checkPage(world, page, problem);
		await page.getByRole("dialog").getByRole("button", { name: "Remove the reply" }).dblclick();
		await page.getByText("The reply is removed.").waitFor();
		for (const [status, reason] of [["Dismissed", "Modesta: an advertisement"], ["Removed", "Modesta: rude"]]) {
			await page.getByRole("tab", { name: status }).click();
			await page.getByText(reason).waitFor();
		}
		await quiet(page);
		const thread = await callAs(world, user.userId, "GET", `/api/community/posts/${post._id}`);
		if (thread.post.replies.length !== 0) problem("the removed reply is still there");
	}, { role: "admin" }),
};

// discussion writes a post and a reply to it, both by the same user.
async function discussion(world, title) {
	const { userId } = await createUser(world, "flow_spam", "Spam");
	const { post } = await callAs(world, userId, "POST", "/api/community/posts", { title, content: "Buy them here." });
	const { reply } = await callAs(world, userId, "POST", `/api/community/posts/${post._id}/replies`, { content: `${title}: see my page.` });
	return { post, reply };
}
