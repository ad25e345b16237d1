// What a user meets besides the pages themselves: sessions, the network, the keyboard, names.
import { readFile } from "node:fs/promises";
import { checkPage, faults } from "./storefront_pages.mjs";
import { callAs, createUser, flow, quiet, signIn, token, visit } from "./storefront_watch.mjs";

const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsversammlungsraumschlüssel";

export const flows = {
	"sign in and out, also in another tab": flow("", async ({ world, context, page, problem }) => {
		await createUser(world, "flow_tabs", "Tabitha", "Twotabs");
		await page.goto(world.storefront + "/learn");
		await quiet(page);
		await page.locator("main details").evaluate((all) => { all.open = true; });
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Sign in as Tabitha Twotabs" }).click();
		await page.locator(".signed-in", { hasText: "Tabitha" }).waitFor();
		await quiet(page);
		if (new URL(page.url()).pathname !== "/learn") problem(`signing in leads to ${page.url()}`);
		const other = await context.newPage();
		await other.goto(world.storefront + "/");
		await quiet(other);
		await other.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
		await page.locator(".site-header").getByRole("link", { name: "Sign in" }).waitFor();
	}),

	"an ended session": flow("Edda", async ({ world, page, problem }) => {
		await visit(world, page, "/learn/time");
		await page.evaluate(() => {
			const kept = JSON.parse(localStorage.getItem("storefront.session"));
			localStorage.setItem("storefront.session", JSON.stringify({ ...kept, token: kept.token.slice(0, -8) + "AAAAAAAA" }));
		});
		await page.reload();
		await signIn(page, "Edda");
		await page.locator(".signed-in", { hasText: "Edda" }).waitFor();
		await page.waitForURL((url) => url.pathname === "/learn/time");
		await quiet(page);
		if (await page.locator("main .state.bad").count()) problem("the page shows an error after signing in again");
		if (await page.evaluate(() => scrollY)) problem("the page after signing in is not shown from its top");
	}, { allow: /401/ }),

	"back, forward and deep links": flow("Bodil", async ({ world, page, problem }) => {
		await visit(world, page, "/");
		await page.getByRole("searchbox", { name: "Search courses" }).fill("go");
		await page.getByRole("link", { name: "Go: First Steps" }).click();
		await page.getByRole("heading", { level: 1, name: "Go: First Steps" }).waitFor();
		await quiet(page);
		const documents = await page.evaluate(() => performance.getEntriesByType("navigation").length + performance.timeOrigin);
		await visit(world, page, "/community");
		await page.goBack();
		await page.getByRole("heading", { level: 1, name: "Go: First Steps" }).waitFor();
		await page.goBack();
		await quiet(page);
		const query = await page.getByRole("searchbox", { name: "Search courses" }).inputValue();
		if (query !== "go") problem(`going back shows a search for "${query}"`);
		await page.goForward();
		await page.getByRole("heading", { level: 1, name: "Go: First Steps" }).waitFor();
		if (documents !== (await page.evaluate(() => performance.getEntriesByType("navigation").length + performance.timeOrigin))) problem("a change of page loads the document again");
	}),

	"paths that do not exist": flow("Nils", async ({ world, page, problem }) => {
		for (const path of ["/courses/none", "/community/posts/none", "/learn/none", "/learn/none/quiz/1", "/certificates/none", "/tutor/none", "/checkout/none", "/bundles/none", "/checkout/bundles/none", "/none"]) {
			await page.goto(world.storefront + path);
			await quiet(page);
			const text = await page.locator("main").innerText();
			if (/fault|undefined|\bnull\b/.test(text) || !(await page.locator("main :is(a, button):visible").count())) problem(`${path} shows: ${text}`);
			await checkPage(world, page, (what) => /shows an error/.test(what) || problem(`${path}: ${what}`));
		}
	}, { allow: /404|403/ }),

	"too many requests": flow("Moa", async ({ world, page, user }) => {
		const bearer = await token(world, user.userId);
		for (let i = 0; i < 20; i++) await fetch(world.api + "/api/community/posts", { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${bearer}` }, body: "{}" });
		await visit(world, page, "/community/new");
		await page.getByLabel("Title").fill("One too many");
		await page.getByRole("textbox", { name: "Text" }).fill("This post is not published.");
		await page.getByRole("button", { name: "Publish the post" }).click();
		await page.getByText(/Too many community posts.*try again in \d+ (minutes|seconds)/).waitFor();
	}, { allow: /429/ }),

	"parts of the home page that do not arrive": flow("Oona", async ({ world, page }) => {
		await page.route(/\/js\/components\/(bell|continue)\.js$/, (route) => route.abort("internetdisconnected"));
		await visit(world, page, "/");
		await page.getByText("A part of the page did not arrive.").waitFor();
		await page.getByRole("heading", { level: 2, name: "Courses" }).waitFor();
		await page.unrouteAll();
		await page.reload();
		await page.getByRole("link", { name: "Notifications" }).waitFor();
		await quiet(page);
	}, { allow: /failed|ERR_INTERNET_DISCONNECTED/ }),

	"a lost network": flow("Olga", async ({ world, context, page }) => {
		await visit(world, page, "/");
		await context.setOffline(true);
		await page.getByRole("link", { name: "My learning" }).click();
		await page.getByText(/offline|connection/i).first().waitFor();
		await context.setOffline(false);
		await page.waitForFunction(() => navigator.onLine);
		await page.getByRole("button", { name: "Try again" }).click();
		await page.getByRole("heading", { level: 1, name: "My courses" }).waitFor();
		await quiet(page);
		await context.setOffline(true);
		await page.getByRole("link", { name: "Time", exact: true }).click();
		await page.getByText(/offline|connection/i).first().waitFor();
		await context.setOffline(false);
		await page.waitForFunction(() => navigator.onLine);
		await page.getByRole("button", { name: "Try again" }).first().click();
		await quiet(page);
		await page.getByRole("link", { name: "Courses", exact: true }).first().click();
		await page.getByRole("heading", { level: 2, name: "Courses" }).waitFor();
		await quiet(page);
	}, { allow: /ERR_INTERNET_DISCONNECTED|dynamically imported module/ }),

	"download one's data": flow("Dora", async ({ world, page, user, problem }) => {
		await visit(world, page, "/learn/account");
		const waiting = page.waitForEvent("download");
		await page.getByRole("button", { name: "Download my data" }).dblclick();
		const file = JSON.parse(await readFile(await (await waiting).path(), "utf8"));
		if (!JSON.stringify(file).includes(user.userId)) problem(`the file has ${Object.keys(file)}`);
		await page.getByText("Your data is saved as my-data.json.").waitFor();
	}),

	"the keyboard": flow("", async ({ world, page, problem }) => {
		await createUser(world, "flow_keys", "Keyla", "Board");
		await page.goto(world.storefront + "/");
		await quiet(page);
		await page.keyboard.press("Tab");
		if ((await focused(page)).text !== "Skip to the content") problem(`the first stop of the keyboard is ${(await focused(page)).text}`);
		const stops = [];
		for (let stop; stops.length < 20 && (stop = (await page.keyboard.press("Tab"), await focused(page))).inHeader;) {
			stops.push(stop.text);
			if (!stop.seen) problem(`the focus on ${stop.text} is not seen`);
		}
		for (const want of ["Courses", "Community", "Sign in", "Use dark colours"]) if (!stops.includes(want)) problem(`the keyboard does not reach ${want} in the header: ${stops}`);
		await page.locator(".site-header").getByRole("link", { name: "Sign in" }).focus();
		await page.keyboard.press("Enter");
		await page.getByText(/^\d+ other users/).waitFor();
		if (!(await page.evaluate(() => document.activeElement.matches("main h1")))) problem("the focus is not on the heading of a new page");
		for (let i = 0; (await focused(page)).text !== "Sign in as Keyla Board, student"; i++) {
			if (i === 200) throw new Error("the keyboard does not reach the button that signs in");
			if (/^\d+ other/.test((await focused(page)).text)) await page.keyboard.press("Enter");
			await page.keyboard.press("Tab");
		}
		await page.keyboard.press("Enter");
		await page.locator(".signed-in", { hasText: "Keyla" }).waitFor();
	}),

	"long words and names from right to left": flow("Wide", async ({ world, page, user, problem }) => {
		const teacher = await createUser(world, "flow_wide_teacher", "عبد الرحمن بن محمد", long, "educator");
		const courseId = await addCourse(world, teacher, long);
		await callAs(world, user.userId, "POST", "/api/user/purchase", { courseId });
		const { post } = await callAs(world, teacher.userId, "POST", "/api/community/posts", { title: long, content: long.repeat(3), tags: [long.slice(0, 30)] });
		await callAs(world, teacher.userId, "POST", `/api/community/posts/${post._id}/replies`, { content: long });
		for (const path of [`/?q=${long.slice(0, 5)}`, `/courses/${courseId}`, "/sign-in", "/community", `/community/posts/${post._id}`, "/learn", `/learn/${courseId}`]) {
			await visit(world, page, path);
			(await page.evaluate(faults)).forEach((what) => problem(`${path}: ${what}`));
			if (world.screenshots) await page.screenshot({ path: `${world.screenshots}/wide${path.replaceAll("/", "-").slice(0, 20)}-360.png`, fullPage: true });
		}
	}, { width: 360, height: 740 }),
};

// focused describes what has the focus.
function focused(page) {
	return page.evaluate(() => {
		const e = document.activeElement;
		const style = getComputedStyle(e);
		return { text: e.getAttribute("aria-label") ?? e.textContent.trim(), inHeader: e.closest(".site-header") !== null, seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
	});
}

// addCourse publishes a course with one lecture and a picture, free unless it has a price, and returns its id.
export async function addCourse(world, teacher, title, coursePrice = 0) {
	const form = new FormData();
	form.set("courseData", JSON.stringify({ courseTitle: title, courseDescription: title.repeat(2), coursePrice, discount: 0,
		courseContent: [{ chapterTitle: title, chapterContent: [{ lectureTitle: title, lectureDuration: 5, lectureUrl: `${world.storefront}/lectures/git-for-teams/1-1`, isPreviewFree: true }] }] }));
	form.set("image", new Blob([picture], { type: "image/png" }), "picture.png");
	const answer = await fetch(world.api + "/api/educator/add-course", { method: "POST", headers: { Authorization: `Bearer ${await token(world, teacher.userId)}` }, body: form });
	const { courseId } = await answer.json();
	return courseId;
}

// picture is a PNG of one pixel.
export const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
