// Administrators find users by their name or e-mail address.
import { checkPage } from "./storefront_pages.mjs";
import { createUser, flow, quiet, visit } from "./storefront_watch.mjs";

export const finding = {
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
		await page.getByText("None of the users matches. Try fewer words, or another role.").waitFor();
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

// smallPages has the server answer pages of two users, so that three are enough for a second page.
async function smallPages(page) {
	await page.route((url) => url.pathname === "/api/admin/users", (route) => {
		const url = new URL(route.request().url());
		url.searchParams.set("limit", "2");
		return route.continue({ url: url.href });
	});
}
