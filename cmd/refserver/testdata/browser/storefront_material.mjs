// Lectures of all kinds, as a student uses them.
import { checkPage } from "./storefront_pages.mjs";
import { atBothSizes, callAs, createUser, openContext, quiet, until, visit } from "./storefront_watch.mjs";

const course = "home-networks";
const lecture = (id) => `/learn/${course}/lectures/${id}`;

// state returns what a video or a sound on the page does.
const state = (page) => page.locator("main :is(video, audio)").evaluate((p) => ({ now: p.currentTime, rate: p.playbackRate, paused: p.paused, ended: p.ended,
	cue: [...p.textTracks].filter((t) => t.mode !== "disabled").flatMap((t) => [...t.activeCues ?? []].map((c) => c.text)).join() }));
const play = (page) => page.locator("main :is(video, audio)").evaluate((p) => p.play());

// positionOf returns the position that the server has of a lecture.
async function positionOf(world, user, lectureId) {
	const { courseData } = await callAs(world, user.userId, "GET", `/api/user/enrolled-courses/${course}`);
	return courseData.courseContent.flatMap((chapter) => chapter.chapterContent).find((l) => l.lectureId === lectureId).position;
}

export const material = {
	...atBothSizes("watch, stop, reload and go on", "Vida", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course });
		await visit(world, page, lecture("3-1"));
		await page.getByLabel("Captions").selectOption({ label: "Deutsch" });
		await page.getByLabel("Speed").selectOption("2");
		await play(page);
		await until(async () => (await state(page)).cue.includes("Der Router gibt sie weiter"), "the second caption");
		await page.locator("main video").evaluate((p) => p.pause());
		const { now } = await state(page);
		const stored = await until(() => positionOf(world, user, "3-1"), "the position to be stored");
		if (Math.abs(stored - now) > 0.5) problem(`the position is ${stored}, and the video at ${now}`);

		await page.reload();
		await page.getByText(/^Goes on at 0:0\d/).waitFor();
		const again = await state(page);
		if (Math.abs(again.now - stored) > 0.5 || again.rate !== 2) problem(`after a reload the video is at ${again.now} with the speed ${again.rate}`);
		await checkPage(world, page, problem);
		await play(page);
		await until(async () => (await state(page)).now > stored + 1, "the video to go on");
		await visit(world, page, lecture("3-3")); // leaving the page stores the position too
		await until(async () => (await positionOf(world, user, "3-1")) > stored + 1, "the position to be stored when the page is left");
		await page.getByRole("table").waitFor();

		// The course goes on at the lecture that was opened last, also from the home page.
		await visit(world, page, "/");
		await page.getByRole("link", { name: "Continue: Your Home Network, Explained" }).click();
		await page.getByRole("heading", { level: 1, name: "Commands for a bad evening" }).waitFor();
		await page.getByRole("button", { name: /^Mark as done/ }).click();
		await page.getByRole("heading", { level: 1, name: "A map of your network" }).waitFor();
		await visit(world, page, lecture("3-3"));
		await page.getByRole("button", { name: "Not done yet" }).click();
		await page.getByRole("button", { name: /^Mark as done/ }).waitFor();
		const { progressData } = await callAs(world, user.userId, "POST", "/api/user/get-course-progress", { courseId: course });
		if (progressData?.lectureCompleted.length) problem(`after the mark was removed, ${progressData.lectureCompleted} are done`);
	}),

	...atBothSizes("notes lead back to their second", "Nora", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course });
		await visit(world, page, lecture("3-1"));
		await page.getByRole("tab", { name: "Notes" }).click();
		await page.getByText("No notes at this lecture yet.").waitFor();
		await page.locator("main video").evaluate((p) => { p.currentTime = 9; });
		await page.getByRole("button", { name: "Add the note at 0:09" }).waitFor();
		await page.getByLabel("Note", { exact: true }).fill("The router *remembers*. <b>");
		await page.reload(); // what was typed is kept
		await page.locator("main video").evaluate((p) => { p.currentTime = 9; });
		await page.getByRole("tab", { name: "Notes" }).click();
		await page.getByRole("button", { name: "Add the note at 0:09" }).dblclick();
		await page.getByText("The router remembers. <b>").waitFor();
		await page.locator("main video").evaluate((p) => { p.currentTime = 2; });
		await page.getByRole("button", { name: "Go to 0:09" }).click();
		if (Math.abs((await state(page)).now - 9) > 0.5) problem(`the note leads to ${(await state(page)).now}`);
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: /^Edit the note/ }).click();
		await page.getByRole("dialog").getByLabel("Note").fill("It asks back.");
		await page.getByRole("button", { name: "Save the note" }).click();
		await page.getByText("It asks back.").waitFor();

		// From another lecture, which keeps the notes open, it leads to the video at its second.
		await visit(world, page, lecture("3-3"));
		await page.getByText("1 note at other lectures").click();
		await page.getByRole("link", { name: "A question goes out, 0:09" }).click();
		await page.getByText(/^Goes on at 0:09/).waitFor();
		await page.getByRole("button", { name: /^Delete the note/ }).click();
		await page.getByRole("button", { name: "Delete the note", exact: true }).dblclick();
		await page.getByText("No notes at this lecture yet.").waitFor();
		const { notes } = await callAs(world, user.userId, "GET", `/api/user/notes?courseId=${course}`);
		if (notes.length) problem(`${notes.length} notes are left`);
	}),

	...atBothSizes("the tutor is asked at a lecture", "Tutora", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course });
		await visit(world, page, lecture("3-1"));
		await page.getByRole("tab", { name: "Tutor" }).click();
		await page.locator("main video").evaluate((p) => { p.currentTime = 9; });
		await page.getByLabel("Your question").fill("Who remembers?");
		await page.getByRole("button", { name: "Ask", exact: true }).dblclick();
		await page.getByText("The tutor has answered.").waitFor({ state: "attached" });
		await page.getByRole("button", { name: /^Go to 0:0/ }).click();
		await until(async () => (await state(page)).now < 5, "the video to go to the second that the answer names");
		await checkPage(world, page, problem);
		await page.getByLabel("Your question").fill("And why?");
		await page.getByLabel("Your question").press("Enter");
		await page.getByRole("button", { name: /^Go to 0:0/ }).nth(1).waitFor();
		const { chats } = await callAs(world, user.userId, "POST", "/api/user/previous-chats", {});
		const { messages } = await callAs(world, user.userId, "GET", `/api/user/chat/${chats[0].sessionId}`);
		if (chats.length !== 1 || messages.length !== 4) problem(`there are ${chats.length} chats, the first with ${messages.length} messages`);

		// A lecture without a video is named with a link, and an answer that fails leaves the question in the box.
		await visit(world, page, lecture("3-3"));
		await page.getByLabel("Your question").fill("What is it about?");
		await page.route((url) => url.pathname === "/api/user/ai-chat", (route) => route.abort("connectionreset"), { times: 1 });
		await page.getByRole("button", { name: "Ask", exact: true }).click();
		await page.getByText("This answer is not complete.").waitFor();
		await page.getByRole("button", { name: "Ask", exact: true }).click();
		await page.locator(".lecture-tutor").getByRole("link", { name: /Commands for a bad evening/ }).waitFor();
	}, { allow: /ERR_CONNECTION_RESET/ }),

	...atBothSizes("questions at a lecture", "Quanda", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course });
		await visit(world, page, lecture("3-4"));
		await page.getByText("Nobody has asked anything here yet.").or(page.getByText(/^\d+ questions?$/)).waitFor();
		await page.getByText("Ask a question").click();
		const name = `Which row for ${user.name}?`;
		await page.getByLabel("Question").fill(name);
		await page.getByLabel("Details").fill("My printer moves.");
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Ask the question" }).dblclick();
		await page.getByRole("link", { name }).click();
		await page.getByRole("button", { name: "Edit this post" }).click();
		await page.getByRole("dialog").getByLabel("Text").fill("My printer moves around.");
		await page.getByRole("button", { name: "Save the post" }).click();
		await page.getByText("(edited)").waitFor();
		const { posts } = await callAs(world, "user_educator", "GET", `/api/community/posts?courseId=${course}&lectureId=3-4`);
		const { _id } = posts.find((post) => post.title === name);
		await callAs(world, "user_educator", "POST", `/api/community/posts/${_id}/replies`, { content: "The row of its usual room." });
		await page.reload();
		await page.locator("main .reply", { hasText: "Educator" }).getByText("The row of its usual room.").waitFor();
		await checkPage(world, page, problem);
		await page.getByLabel("Your reply").fill("Thank you.");
		await page.getByRole("button", { name: "Reply", exact: true }).click();
		await page.getByRole("button", { name: "Edit your reply" }).click();
		await page.getByRole("dialog").getByLabel("Your reply").fill("Thank you very much.");
		await page.getByRole("button", { name: "Save the reply" }).click();
		await page.getByText("Thank you very much.").waitFor();
		await page.getByRole("button", { name: "Delete this post" }).click();
		await page.getByRole("button", { name: "Delete the post" }).click();
		await page.getByRole("heading", { level: 1, name: "A map of your network" }).waitFor();
		await quiet(page);
		if (await page.getByRole("link", { name }).count()) problem("the deleted question is still there");
	}),

	...atBothSizes("reviews with words and an answer", "Rewa", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course });
		await visit(world, page, lecture("3-3"));
		await page.getByRole("radio", { name: "4 of 5 stars" }).check({ force: true });
		await page.getByText("Write about it").click();
		const words = `I moved the router. ${user.name}`;
		await page.getByLabel("Review").fill("I moved the router.");
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Publish the review" }).dblclick();
		await page.getByText("Your review is on the page of the course.").waitFor();
		// It can be read again later, and changed.
		await page.reload();
		await page.locator(".own-review", { hasText: "I moved the router." }).waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Change the review" }).press("Enter");
		if ((await page.getByLabel("Review", { exact: true }).inputValue()) !== "I moved the router.") problem("the form does not begin with the own review");
		await page.getByLabel("Review", { exact: true }).fill(words);
		await page.getByRole("button", { name: "Save the review" }).dblclick();
		await page.locator(".own-review", { hasText: words }).waitFor();
		await visit(world, page, `/courses/${course}`);
		const review = page.locator("main li.card", { hasText: words });
		await review.getByText("4 of 5 stars").waitFor();
		await page.getByRole("list", { name: "Ratings" }).getByText("5 stars").waitFor();

		// The educator answers on the same page, and another reader reports the review.
		const problems = [];
		const educator = await openContext(world, problems, { user: { userId: "user_educator", name: "Emil Novak", role: "educator" } });
		const own = await educator.newPage();
		await visit(world, own, `/courses/${course}`);
		await own.getByRole("button", { name: `Answer the review of ${user.name}` }).click();
		await own.getByLabel("Your answer").fill("Well done.");
		await own.getByRole("button", { name: "Publish the answer" }).dblclick();
		await own.locator("main li.card", { hasText: words }).getByText("Well done.").waitFor();
		await educator.close();
		problems.forEach(problem);
		const other = await createUser(world, `reader_of_${user.userId}`, "Reada", "Example");
		const reader = await openContext(world, problems, { user: other });
		const read = await reader.newPage();
		await visit(world, read, `/courses/${course}`);
		await read.locator("main li.card", { hasText: words }).getByRole("button", { name: `Report the review of ${user.name}` }).click();
		await read.getByLabel("What is wrong with it?").fill("It is about another course.");
		await read.getByRole("button", { name: "Send the report" }).dblclick();
		await read.getByText("Reported", { exact: true }).waitFor();
		await reader.close();
		problems.forEach(problem);
		const { reports } = await callAs(world, "user_admin", "GET", "/api/admin/reports");
		const { reviews } = await callAs(world, "", "GET", `/api/course/${course}/reviews`);
		const { _id } = reviews.find(({ review: text }) => text === words);
		if (reports.filter(({ reviewId }) => reviewId === _id).length !== 1) problem(`the reports are ${JSON.stringify(reports).slice(0, 300)}`);
		await page.reload();
		await review.getByText("Answer of the educator").waitFor();
		await page.getByLabel("Order of the reviews").selectOption({ label: "Worst first" });
		await review.waitFor();
		await checkPage(world, page, problem);
		await visit(world, page, lecture("3-3"));
		await page.getByRole("button", { name: "Remove the review" }).press("Enter");
		await page.getByRole("dialog").getByRole("button", { name: "Remove the review" }).dblclick();
		await page.getByText("Your review is removed. Your stars stay.").waitFor();
		const { userRating, userReview } = await callAs(world, user.userId, "GET", `/api/user/enrolled-courses/${course}`);
		if (userRating !== 4 || userReview !== null) problem(`after its removal the rating is ${userRating}, ${userReview}`);
		await visit(world, page, `/courses/${course}`);
		if (await review.count()) problem("a review whose text was removed is still shown");
	}),

	...atBothSizes("listen with captions, and leave an embed alone", "Livia", async ({ world, page, user, problem }) => {
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId: course });
		await visit(world, page, lecture("3-2"));
		await page.getByLabel("Captions").selectOption({ label: "English" });
		await play(page);
		await page.getByText("Four answers, one each second and a half: the line is good.").waitFor();
		await page.locator("main audio").evaluate((p) => { p.currentTime = 11.5; });
		await until(async () => (await state(page)).ended, "the sound to end");
		await visit(world, page, lecture("3-5"));
		await page.getByRole("button", { name: "Load it from www.youtube-nocookie.com" }).waitFor();
		if (await page.locator("iframe").count()) problem("the page of another site is loaded without a question");
	}),
};
