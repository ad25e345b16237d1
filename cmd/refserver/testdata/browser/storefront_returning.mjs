// Whoever comes back finds the place where they were: in a list, and in what they were writing.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { smallPages } from "./storefront_searches.mjs";
import { atBothSizes, callAs, createUser, endSession, flow, quiet, signIn, sizes, visit } from "./storefront_watch.mjs";

export const returning = {
	...atBothSizes("back restores the place in the catalogue", "", async ({ world, page, problem }) => {
		await page.goto(world.storefront + "/");
		await quiet(page);
		const before = await scrollTo(page, 2400);
		await openSeenCourse(page);
		await page.goBack();
		await isBackAt(page, before, "going back", problem);

		// The catalogue arrives late, and the page is too short until then.
		const release = await hold(page, "/api/course/all");
		await page.reload();
		await page.locator("main .skeleton").first().waitFor();
		release();
		await isBackAt(page, before, "loading the page again", problem);

		// The way back ends where the reader scrolls meanwhile.
		await openSeenCourse(page);
		await page.goBack();
		await page.mouse.wheel(0, -600);
		await page.waitForFunction((top) => scrollY < top - 100, before.top);
		await new Promise((resolve) => setTimeout(resolve, 600)); // longer than the page takes to settle
		if ((await page.evaluate(() => scrollY)) >= before.top - 100) problem("the page scrolls against the reader");
	}),

	...atBothSizes("back restores a list that was continued", "", async ({ world, page, problem }) => {
		await smallPages(page);
		await visit(world, page, "/?q=the&sort=rating");
		for (let shown = 2; shown < 14; shown += 2) {
			await page.getByRole("button", { name: "Show more" }).click();
			await page.waitForFunction((n) => document.querySelectorAll(".course-card").length === n, shown + 2);
		}
		const before = await scrollTo(page, 1200);
		await openSeenCourse(page);
		await page.locator('.site-nav a[href="/community"]').evaluate((link) => link.click()); // which is in the menu of a phone
		await page.getByRole("heading", { level: 1, name: "Community" }).waitFor();
		await page.goBack();
		await page.goBack();
		await isBackAt(page, before, "going back twice", problem);
		const cards = await page.locator(".course-card").count();
		if (cards !== 14) problem(`${cards} courses are shown, of 14`);
	}),

	"back restores a table that was continued": flow("Ulla", async ({ world, page, problem }) => {
		await smallPages(page);
		await visit(world, page, "/admin/users");
		const rows = page.locator(".data-table tbody tr");
		for (let shown = 2; shown < 10; shown += 2) {
			await page.getByRole("button", { name: "Show more" }).click();
			await page.waitForFunction((n) => document.querySelectorAll(".data-table tbody tr").length === n, shown + 2);
		}
		const before = await scrollTo(page, 900);
		await page.locator('.subnav a[href="/admin/reports"]').evaluate((link) => link.click()); // a click of the mouse would scroll to it
		await page.getByRole("heading", { level: 1, name: "Reports" }).waitFor();
		await page.goBack();
		await isBackAt(page, before, "going back", problem);
		if ((await rows.count()) !== 10) problem(`${await rows.count()} users are shown, of 10`);
	}, { role: "admin", ...sizes.phone }),

	...atBothSizes("a reply is kept when the session ends", "Renke", async ({ world, page, user, problem }) => {
		const { post } = await callAs(world, user.userId, "POST", "/api/community/posts", { title: "A long discussion", content: "Line\n\n".repeat(60) });
		await visit(world, page, `/community/posts/${post._id}`);
		const restore = await endSession(page, world);
		const box = page.getByLabel("Your reply");
		await box.fill("This took me half an hour.");
		await page.getByRole("button", { name: "Reply", exact: true }).click();
		await page.getByText("What you have typed is kept on this device, in this tab, and is here again after you sign in.").waitFor();
		if ((await box.inputValue()) !== "This took me half an hour.") problem("the text is not in view after the session has ended");
		await checkPage(world, page, problem);
		const top = await page.evaluate(() => scrollY);
		await page.getByRole("button", { name: "Sign in again" }).click();
		await page.getByText("Your session has ended. Sign in again as").waitFor();
		await checkPage(world, page, problem);
		await restore();
		await page.getByRole("button", { name: `Sign in as ${user.name}` }).click();
		await page.getByRole("heading", { level: 1, name: "A long discussion" }).waitFor();
		await quiet(page);
		if ((await box.inputValue()) !== "This took me half an hour.") problem("the text is lost after signing in again");
		await page.waitForFunction((before) => Math.abs(scrollY - before) < 100, top).catch(() => problem("the page is not where it was"));
		await page.getByRole("button", { name: "Reply", exact: true }).click();
		await page.getByRole("heading", { name: "1 reply" }).waitFor();
		await quiet(page);
	}, { allow: /401/ }),

	...atBothSizes("a post, a course and a report are kept when the session ends", "Resi", async ({ world, page, user, problem }) => {
		for (const { path, field, send, open } of await texts(world, page, user)) {
			const input = field();
			await page.goto(world.storefront + path);
			await quiet(page);
			await open?.();
			const restore = await endSession(page, world);
			await input.fill("A text that must not be lost.");
			await send();
			await page.getByText(/What you have typed is kept on this device/).first().waitFor();
			if ((await input.inputValue()) !== "A text that must not be lost.") problem(`${path}: the text is not in view after the session has ended`);
			await page.getByRole("button", { name: "Sign in again" }).click();
			await page.getByText("Your session has ended. Sign in again as").waitFor();
			await restore();
			await signIn(page, user.name);
			await page.waitForURL((url) => url.pathname === path);
			await quiet(page);
			await open?.();
			if ((await input.inputValue()) !== "A text that must not be lost.") problem(`${path}: the text is lost after signing in again`);
		}
	}, { role: "educator", allow: /401/ }),

	"what is typed after the session has ended in another tab is kept": flow("Rike", async ({ world, page, user, problem }) => {
		const path = `/teach/courses/${await addCourse(world, user, "Rivets of Rike")}`, description = page.getByLabel(/^Description/);
		await page.goto(world.storefront + path);
		await quiet(page);
		await page.evaluate(() => {
			const key = "storefront.session", kept = JSON.parse(localStorage.getItem(key));
			localStorage.setItem(key, JSON.stringify({ ...kept, token: "" }));
			dispatchEvent(new StorageEvent("storage", { key }));
		});
		await description.fill("A text that must not be lost.");
		await page.getByRole("button", { name: "Save the changes" }).click();
		await page.getByRole("button", { name: "Sign in again" }).click();
		await signIn(page, user.name);
		await page.waitForURL((url) => url.pathname === path);
		await quiet(page);
		if ((await description.inputValue()) !== "A text that must not be lost.") problem("the text is lost");
	}, { role: "educator", allow: /401/ }),
};

// texts returns where a user writes: the path, the field, what sends it, and what opens the field if it is not in view.
async function texts(world, page, user) {
	const press = (name) => () => page.getByRole("button", { name, exact: true }).click();
	const courseId = await addCourse(world, user, `Resin of ${user.name}`);
	const other = await createUser(world, `other_of_${user.userId}`, "Otto");
	const { post } = await callAs(world, other.userId, "POST", "/api/community/posts", { title: `To ${user.name}`, content: "Buy this." });
	const sendPost = async () => {
		await page.getByLabel("Title").fill("A post");
		await press("Publish the post")();
	};
	return [
		{ path: "/community/new", field: () => page.getByRole("textbox", { name: "Text" }), send: sendPost },
		{ path: `/teach/courses/${courseId}`, field: () => page.getByLabel(/^Description/), send: press("Save the changes") },
		{ path: `/community/posts/${post._id}`, field: () => page.getByLabel("What is wrong with it?"), send: press("Send the report"), open: press("Report this post") },
	];
}

// scrollTo scrolls a page, so that its parts are drawn on the way, and returns the place: how far it is scrolled, and the
// course that is first in view, with its distance from the top.
async function scrollTo(page, top) {
	for (let at = 0; at < top; at += 400) await page.evaluate(async (y) => { scrollTo(0, y); await new Promise(requestAnimationFrame); }, at);
	await page.evaluate((y) => scrollTo(0, y), top);
	return page.evaluate(placeInView);
}

// placeInView runs in the page.
function placeInView() {
	const card = [...document.querySelectorAll(".course-card")].find((each) => each.getBoundingClientRect().top > 80);
	return { top: scrollY, course: card?.querySelector("h3").textContent, offset: Math.round(card?.getBoundingClientRect().top) };
}

// openSeenCourse opens the course that is first in view.
async function openSeenCourse(page) {
	const { course } = await page.evaluate(placeInView);
	await page.locator(".course-card a", { hasText: course }).evaluate((link) => link.click());
	await page.getByRole("heading", { level: 1, name: course }).waitFor();
	await quiet(page);
	if ((await page.evaluate(() => scrollY)) !== 0) throw new Error("a new page is not shown from its top");
}

// isBackAt waits until the page is at a place, and reports where it is if it does not get there.
async function isBackAt(page, place, what, problem) {
	await quiet(page);
	const isThere = await page.waitForFunction((top) => Math.abs(scrollY - top) <= 1, place.top, { timeout: 5000 }).catch(() => null);
	await page.waitForFunction(() => !document.querySelector("main[data-returning]"));
	const now = await page.evaluate(placeInView);
	if (!isThere || now.course !== place.course || Math.abs(now.offset - place.offset) > 2) problem(`${what} leads from ${JSON.stringify(place)} to ${JSON.stringify(now)}`);
}

// hold has the requests of a path wait until the returned function is called.
async function hold(page, path) {
	let release;
	const held = new Promise((resolve) => { release = resolve; });
	await page.route((url) => url.pathname === path, async (route) => {
		await held;
		await route.continue();
	});
	return release;
}
