// Searches by the server: visitors find courses, and administrators find users.
import { checkPage } from "./storefront_pages.mjs";
import { admin } from "./storefront_payments.mjs";
import { atBothSizes, callAs, counter, createUser, flow, quiet, visit } from "./storefront_watch.mjs";

export const searches = {
	"find courses page by page": flow("", async ({ world, page, problem }) => {
		await smallPages(page);
		await visit(world, page, "/");
		const search = page.getByRole("searchbox", { name: "Search courses" });
		const expectCourses = async (what, want) => {
			await quiet(page);
			// Not the inner text, which is empty for a card that is scrolled out of view: the style sheet
			// spares the browser its content (content-visibility).
			const shown = await page.locator(".course-card h3").allTextContents();
			if (shown.join() !== want.map((course) => course.courseTitle).join()) problem(`${what} shows ${shown}`);
		};
		// Other jobs publish courses meanwhile, so that how many there are is not known here.
		const shownOfAll = (n) => page.getByText(new RegExp(`^${n} of \\d+ courses$`));
		const { courses: found } = await callAs(world, "", "GET", "/api/course/all?q=data&sort=price");
		if (found.length < 3 || found.length > 4) problem(`${found.length} courses have the word data, want 3 or 4, which are two pages`);
		await page.getByLabel("Sort by").selectOption("Price, lowest first");
		await search.fill("dátá");
		await quiet(page);
		await page.getByText("The first 2 courses", { exact: true }).waitFor();
		await expectCourses("the first page of a search", found.slice(0, 2));
		await page.getByRole("button", { name: "Show more" }).dblclick();
		await shownOfAll(found.length).waitFor();
		await expectCourses("a search", found);
		await checkPage(world, page, problem);
		await page.getByLabel("Sort by").selectOption("Shortest");
		await quiet(page);
		await page.getByRole("button", { name: "Show more" }).click();
		await shownOfAll(found.length).waitFor();
		await expectCourses("a search by length", found.toSorted((a, b) => a.totalDurationMinutes - b.totalDurationMinutes));
		await search.fill("");
		await page.getByText(/^\d+ courses$/).waitFor();
	}),

	"find courses without a network": flow("", async ({ world, context, page }) => {
		await visit(world, page, "/");
		await context.setOffline(true);
		await page.getByRole("searchbox", { name: "Search courses" }).fill("go first");
		await page.getByRole("heading", { name: "No connection" }).waitFor();
		await context.setOffline(false);
		await page.getByRole("button", { name: "Try again" }).click();
		await page.getByRole("link", { name: "Go: First Steps" }).waitFor();
		await quiet(page);
	}, { allow: /failed|ERR_INTERNET_DISCONNECTED/ }),

	"a late answer to an earlier search of courses": flow("", async ({ world, page, problem }) => {
		await visit(world, page, "/");
		await lateAnswer(page, page.getByRole("searchbox", { name: "Search courses" }), ["statistics", "spanish"]);
		const shown = await page.locator(".course-card h3").allTextContents();
		if (shown.length !== 1 || !/Spanish/.test(shown[0])) problem(`a late answer shows ${shown}`);
	}),

	"a late answer to an earlier search of users": flow("Lara", async ({ world, page, problem }) => {
		await visit(world, page, "/admin/users");
		await lateAnswer(page, page.getByRole("searchbox", { name: "Search users" }), ["sana", "lara"]);
		const shown = await page.locator(".data-table tbody bdi").allInnerTexts();
		if (shown.join() !== "Lara Example") problem(`a late answer shows ${shown}`);
	}, { role: "admin" }),

	"find users by name and e-mail, page by page": flow("Finn", async ({ world, page, problem }) => {
		for (const [id, name] of [["first", "Zoë"], ["second", "Zora"], ["third", "Zeno"]]) await createUser(world, `flow_lookup_${id}`, name, "Lookupson");
		await smallPages(page);
		await visit(world, page, "/admin/users");
		const search = page.getByRole("searchbox", { name: "Search users" });
		const expectRows = async (what, names) => {
			await quiet(page);
			const shown = await page.locator(".data-table tbody bdi").allInnerTexts();
			if (shown.sort().join() !== names) problem(`${what} shows ${shown}, want ${names}`);
		};
		await search.fill("lookups");
		await quiet(page);
		await page.getByText("The first 2 users", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Show more" }).dblclick();
		await page.getByText("3 users", { exact: true }).waitFor();
		await expectRows("a search for a name", "Zeno Lookupson,Zora Lookupson,Zoë Lookupson");
		await page.getByLabel("Role").selectOption("Administrators");
		await page.getByRole("heading", { name: "No user has “lookups”" }).waitFor();
		await page.getByText(/or another role/).waitFor();
		await page.getByLabel("Role").selectOption("All roles");
		await search.fill("zoe");
		await page.getByText("1 user", { exact: true }).waitFor();
		await expectRows("a search without an accent", "Zoë Lookupson");
		await search.fill("lookup_third@example.com");
		await page.waitForFunction(() => document.querySelector(".data-table tbody")?.innerText.includes("Zeno"));
		await expectRows("a search for an e-mail address", "Zeno Lookupson");
		await page.reload();
		await expectRows("loading the page again", "Zeno Lookupson");
		await search.fill("zoe zora");
		await page.getByRole("heading", { name: "No user has “zoe zora”" }).waitFor();
		await checkPage(world, page, problem);
	}, { role: "admin" }),

	"filter users by role, among all pages": flow("Rolanda", async ({ world, page, problem }) => {
		await smallPages(page);
		const asked = counter(page, /^GET \/api\/admin\/users$/);
		await visit(world, page, "/admin/users");
		await page.getByText("The first 2 users", { exact: true }).waitFor();
		await page.getByLabel("Role").selectOption("Educators");
		await page.waitForFunction(() => document.querySelectorAll(".data-table tbody tr").length === 2 && !document.querySelector("[aria-busy=true]"));
		for (let more = 0; more < 20 && (await page.getByRole("button", { name: "Show more" }).isVisible()); more++) {
			const before = await page.locator(".data-table tbody tr").count();
			await page.getByRole("button", { name: "Show more" }).click();
			await page.waitForFunction((n) => document.querySelectorAll(".data-table tbody tr").length > n || document.querySelector(".stack > .button[hidden]"), before);
			await quiet(page);
		}
		const shown = await page.locator('.data-table tbody td[data-label="Role"]').allInnerTexts();
		const { users } = await callAs(world, (await admin(world)).userId, "GET", "/api/admin/users?role=educator");
		if (shown.length < 3 || shown.length > users.length || shown.some((role) => role !== "Educator")) problem(`the role Educator shows ${shown.length} of ${users.length} users: ${shown}`);
		if (asked() < 3) problem(`the server is asked ${asked()} times`);
		await page.reload();
		await quiet(page);
		if (!(await page.locator('.data-table tbody td[data-label="Role"]').allInnerTexts()).every((role) => role === "Educator")) problem("loading the page again shows other roles");
		await checkPage(world, page, problem);
	}, { role: "admin" }),

	...atBothSizes("a search goes on after pages without a course", "", async ({ world, page, problem }) => {
		await smallPages(page);
		let empty = 0;
		await page.route((url) => url.pathname === "/api/course/all" && url.searchParams.has("q"), async (route) => {
			const url = new URL(route.request().url());
			url.searchParams.set("limit", "2");
			const response = await route.fetch({ url: url.href });
			const answer = await response.json();
			if (empty-- > 0) answer.courses = [];
			await route.fulfill({ response, json: answer });
		});
		await visit(world, page, "/");
		const search = page.getByRole("searchbox", { name: "Search courses" });
		empty = 2;
		await search.fill("you");
		await page.locator(".course-card h3").first().waitFor();
		await page.waitForFunction(() => document.querySelectorAll(".course-card").length === 2);
		empty = 5;
		await search.fill("the");
		await page.getByText("None of the courses so far matches. Search on, or try other words.").waitFor();
		await checkPage(world, page, problem);
		await page.getByRole("button", { name: "Search on" }).click();
		await page.waitForFunction(() => document.querySelectorAll(".course-card").length === 2);
	}),

	"find users without a network": flow("Olaf", async ({ world, context, page }) => {
		await visit(world, page, "/admin/users");
		await context.setOffline(true);
		await page.getByRole("searchbox", { name: "Search users" }).fill("olaf");
		await page.getByRole("heading", { name: "No connection" }).waitFor();
		await context.setOffline(false);
		await page.getByRole("button", { name: "Try again" }).click();
		await page.getByText("1 user", { exact: true }).waitFor();
	}, { role: "admin", allow: /failed|ERR_INTERNET_DISCONNECTED/ }),
};

// smallPages has the server answer pages of two rows, so that three are enough for a second page.
export async function smallPages(page) {
	await page.route((url) => url.searchParams.has("limit"), (route) => {
		const url = new URL(route.request().url());
		url.searchParams.set("limit", "2");
		return route.continue({ url: url.href });
	});
}

// lateAnswer searches for two words, and lets the answer to the first arrive after that to the second.
async function lateAnswer(page, search, [first, second]) {
	let release;
	const held = new Promise((resolve) => { release = resolve; });
	await page.route((url) => url.searchParams.get("q") === first, async (route) => {
		await held;
		await route.continue();
	});
	const answerTo = (word) => page.waitForResponse((r) => r.request().method() === "GET" && new URL(r.url()).searchParams.get("q") === word);
	const asked = page.waitForRequest((r) => new URL(r.url()).searchParams.get("q") === first);
	const late = answerTo(first);
	await search.fill(first);
	await asked;
	const soon = answerTo(second);
	await search.fill(second);
	await (await soon).finished();
	release();
	await (await late).finished();
	await quiet(page);
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
