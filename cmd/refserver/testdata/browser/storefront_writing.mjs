// Everything that a user writes is written once, however often a button is clicked.
import { picture } from "./storefront_flows.mjs";
import { admin } from "./storefront_payments.mjs";
import { callAs, counter, createUser, flow, quiet, visit } from "./storefront_watch.mjs";

export const writing = {
	"post, reply, accept, vote and delete": flow("Petra", async ({ world, page, user, problem }) => {
		await visit(world, page, "/community/new");
		await page.getByLabel("Title").fill("A post of Petra");
		await page.getByRole("textbox", { name: "Text" }).fill("Is this post published once?");
		await page.getByRole("button", { name: "Publish the post" }).dblclick();
		await page.getByRole("heading", { level: 1, name: "A post of Petra" }).waitFor();
		await page.getByLabel("Your reply").fill("Yes, it is.");
		await page.getByRole("button", { name: "Reply", exact: true }).dblclick();
		await page.getByRole("heading", { name: "1 reply" }).waitFor();
		await page.getByRole("button", { name: /^Accept as the answer/ }).click();
		await page.getByText("✓ Accepted answer").waitFor();
		await page.getByRole("button", { name: /^Upvote .*: 0$/ }).first().click();
		await page.getByRole("button", { name: /^Upvote .*: 1$/ }).first().waitFor();
		await quiet(page);
		const { posts } = await callAs(world, user.userId, "GET", "/api/community/posts");
		const own = posts.filter((post) => post.title === "A post of Petra");
		if (own.length !== 1 || own[0].replyCount !== 1 || !own[0].isResolved) problem(`there are ${own.length} posts, with ${own[0]?.replyCount} replies, resolved: ${own[0]?.isResolved}`);
		await page.getByRole("button", { name: "Delete this post" }).click();
		await page.getByRole("button", { name: "Delete the post" }).dblclick();
		await page.getByRole("heading", { level: 1, name: "Community" }).waitFor();
		await quiet(page);
		if ((await callAs(world, user.userId, "GET", "/api/community/posts")).posts.some((post) => post.title === "A post of Petra")) problem("the deleted post is still there");
	}),

	"create, join and leave a group": flow("Greta", async ({ world, page, user, problem }) => {
		await visit(world, page, "/community");
		await page.getByRole("button", { name: "Create a group" }).click();
		await page.getByLabel("Name", { exact: true }).fill("Group of Greta");
		await page.getByRole("button", { name: "Create the group" }).dblclick();
		await page.getByRole("button", { name: "Leave Group of Greta" }).click();
		await page.getByRole("button", { name: "Join Group of Greta" }).click();
		await page.getByRole("button", { name: "Leave Group of Greta" }).waitFor();
		const { groups } = await callAs(world, user.userId, "GET", "/api/community/groups");
		const own = groups.filter((group) => group.name === "Group of Greta");
		if (own.length !== 1 || own[0].memberCount !== 1) problem(`there are ${own.length} groups, the first with ${own[0]?.memberCount} members`);
	}),

	"take a quiz, complete a course, rate it": flow("Quentin", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: "git-for-teams" });
		const { quiz } = await callAs(world, user.userId, "GET", "/api/quiz/git-for-teams/1");
		await visit(world, page, "/learn/git-for-teams/quiz/1");
		for (let i = 0; i < quiz.questions.length; i++) await page.locator(`input[name="question-${i}"][value="1"]`).check();
		await page.getByRole("button", { name: "Submit your answers" }).dblclick();
		await page.locator("#result").waitFor();
		await quiet(page);
		const { results } = await callAs(world, user.userId, "GET", "/api/quiz/results/git-for-teams/1");
		if (results.length !== 1) problem(`there are ${results.length} results of one attempt`);
		await visit(world, page, "/learn/git-for-teams");
		const { courseData } = await callAs(world, "", "GET", "/api/course/git-for-teams");
		for (let left = courseData.totalLectures; left > 0; left--) {
			const title = await page.getByRole("heading", { level: 1 }).innerText();
			await page.getByRole("button", { name: /^Mark as done/ }).click();
			if (left > 1) await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor({ state: "detached" });
		}
		await page.getByRole("heading", { name: "Course completed" }).waitFor();
		await page.getByLabel("5 of 5 stars").check({ force: true });
		await page.getByText("Your rating: 5 of 5.").waitFor();
		const issued = counter(page, /^POST .*\/certificate\/generate\//);
		await page.getByRole("button", { name: "Get your certificate" }).dblclick();
		await page.getByRole("heading", { level: 1, name: "My certificates" }).waitFor();
		await quiet(page);
		if (issued() !== 1) problem(`the certificate is asked for ${issued()} times`);
	}),

	"ask the tutor": flow("Tarek", async ({ world, page, user, problem }) => {
		await visit(world, page, "/tutor");
		await page.getByLabel("Your question").fill("What is a pointer?");
		await page.getByRole("button", { name: "Ask", exact: true }).dblclick();
		await page.getByText("The tutor has answered.").waitFor({ state: "attached" });
		await quiet(page);
		const { chats } = await callAs(world, user.userId, "POST", "/api/user/previous-chats", {});
		const { messages } = await callAs(world, user.userId, "GET", `/api/user/chat/${chats[0].sessionId}`);
		if (chats.length !== 1 || messages.length !== 2) problem(`there are ${chats.length} chats, the first with ${messages.length} messages`);
	}),

	"apply, be approved, publish a course by keyboard": flow("Apollo", async ({ world, context, page, user, problem }) => {
		await visit(world, page, "/teach/apply");
		await page.getByLabel("Profession").fill("Gardener");
		await page.getByLabel("About you").fill("I grow vegetables and want to teach it.");
		await page.getByLabel("What you can teach").fill("Gardening, Compost");
		await page.getByRole("button", { name: "Send the application" }).dblclick();
		await page.getByRole("heading", { name: "Your application is being reviewed" }).waitFor();
		const boss = await admin(world);
		const { applications } = await callAs(world, boss.userId, "GET", "/api/admin/educator-applications");
		const own = applications.filter((application) => application.userId === user.userId);
		if (own.length !== 1) problem(`there are ${own.length} applications`);
		await callAs(world, boss.userId, "PATCH", `/api/admin/educator-applications/${own[0]._id}/approve`, {});
		await page.getByRole("button", { name: "Check again" }).click();
		await page.getByRole("link", { name: "Publish a course" }).first().click();
		await publish(world, page, user, problem);
	}),

	"approve and reject applications": flow("Rita", async ({ world, page, problem }) => {
		const people = [await createUser(world, "flow_yes", "Yasmin", "Yes"), await createUser(world, "flow_no", "Nora", "No")];
		for (const { userId } of people) await callAs(world, userId, "POST", "/api/educator/apply", { professionalTitle: "Cook", bio: "I cook.", expertise: ["Cooking"], linkedinUrl: "" });
		await visit(world, page, "/admin/applications");
		await page.getByRole("button", { name: "Approve the application of Yasmin Yes" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Approve" }).dblclick();
		await page.getByText("Yasmin Yes can publish courses now.").waitFor();
		await page.getByRole("button", { name: "Reject the application of Nora No" }).click();
		await page.getByLabel(/^Reason/).fill("Please send a sample.");
		await page.getByRole("dialog").getByRole("button", { name: "Reject" }).dblclick();
		await page.getByText("The application of Nora No is rejected.").waitFor();
		for (const [i, status] of ["approved", "rejected"].entries()) {
			const { application } = await callAs(world, people[i].userId, "GET", "/api/educator/application-status");
			if (application.status !== status) problem(`the application of ${people[i].name} is ${application.status}`);
		}
	}, { role: "admin" }),

	"write roadmaps": flow("Rosa", async ({ world, page, problem }) => {
		await callAs(world, "flow_rosa", "POST", "/api/user/purchase", { courseId: "git-for-teams" });
		await visit(world, page, "/roadmaps");
		const written = counter(page, /^POST .*roadmap$/);
		await page.getByRole("button", { name: "Write my roadmap" }).dblclick();
		await page.locator("main h2").nth(1).waitFor();
		await quiet(page);
		await page.getByRole("tab", { name: "To a topic" }).click();
		await page.getByRole("textbox", { name: "Topic" }).fill("Woodwork");
		await page.getByRole("button", { name: "Write the roadmap" }).dblclick();
		await page.locator("main h2").first().waitFor();
		await quiet(page);
		if (written() !== 2) problem(`two roadmaps are asked for ${written()} times`);
	}),
};

// publish fills the form of a new course, arranges two lectures by keyboard, and publishes it.
async function publish(world, page, user, problem) {
	await page.getByLabel("Title", { exact: true }).fill("Compost");
	await page.getByLabel(/^Description/).fill("Everything about compost.");
	await page.locator("#course-picture").setInputFiles({ name: "compost.png", mimeType: "image/png", buffer: picture });
	await page.getByLabel("Price", { exact: true }).fill("100");
	await page.getByLabel("Title of the chapter").fill("Beginning");
	await page.getByRole("button", { name: "Add a lecture" }).click();
	for (const [i, name] of ["Second", "First"].entries()) {
		await page.getByLabel("Title of the lecture").nth(i).fill(name);
		await page.getByLabel("Minutes").nth(i).fill("5");
		await page.getByLabel("Web address of the video or page").nth(i).fill(`https://videos.example.com/${i}`);
	}
	await page.getByRole("button", { name: "Move lecture up" }).nth(1).focus();
	await page.keyboard.press("Enter");
	await page.getByText("Now lecture 1 of 2").waitFor({ state: "attached" });
	await page.getByRole("button", { name: "Publish the course" }).dblclick();
	await page.getByRole("heading", { level: 1, name: "Compost" }).waitFor();
	await quiet(page);
	const { courses } = await callAs(world, user.userId, "GET", "/api/educator/courses");
	const { courseData } = await callAs(world, "", "GET", `/api/course/${courses[0]._id}`);
	const titles = courseData.courseContent[0].chapterContent.map((lecture) => lecture.lectureTitle);
	if (courses.length !== 1 || titles.join() !== "First,Second") problem(`there are ${courses.length} courses, the first with the lectures ${titles}`);
}
