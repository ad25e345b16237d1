// Administrators refund purchases.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { admin } from "./storefront_payments.mjs";
import { atBothSizes, callAs, counter, createUser, flow, json, openContext, quiet, visit } from "./storefront_watch.mjs";

export const refunds = {
	"refund a part of a purchase, then the rest": flow("Ruth", async ({ world, page, problem }) => {
		const student = await createUser(world, "flow_refunded", "Refia");
		const teacher = await createUser(world, "flow_sales_teacher", "Salima", "Example", "educator");
		const courseId = await addCourse(world, teacher, "Sewing", 300);
		await buy(world, student, courseId);
		await visit(world, page, "/admin/purchases?q=Refia");
		const refunds = counter(page, /^POST .*\/refund$/);
		for (const [amount, effect, status] of [["100", /The student stays enrolled/, "Paid"], ["", /the enrolment ends/, "Refunded"]]) {
			await page.getByRole("button", { name: "Refund Sewing to Refia Example" }).click();
			if (amount) {
				await page.getByLabel(/^Amount/).fill("301");
				await page.getByRole("dialog").getByRole("button", { name: "Refund" }).click();
				await page.getByText(/^At most .*, which is what is left/).waitFor();
				await page.getByLabel(/^Amount/).fill(amount);
			}
			await page.getByText(effect).waitFor();
			await checkPage(world, page, problem);
			await page.getByRole("dialog").getByRole("button", { name: "Refund" }).dblclick();
			await page.getByRole("dialog").waitFor({ state: "detached" });
			await page.getByRole("cell", { name: status, exact: true }).waitFor();
		}
		await quiet(page);
		if (refunds() !== 2) problem(`two refunds are asked for ${refunds()} times`);
		const { purchases } = await callAs(world, (await admin(world)).userId, "GET", "/api/admin/purchases");
		const own = purchases.find((purchase) => purchase.userId === student.userId);
		if (own.status !== "refunded" || own.refundedAmount !== 300) problem(`the purchase is ${JSON.stringify(own)}`);
		const { user } = await callAs(world, student.userId, "GET", "/api/user/data");
		if (user.enrolledCourses.includes(courseId)) problem("a refunded student is still enrolled");
	}, { role: "admin" }),

	"sell in another currency, and look at the purchase": flow("Edda", async ({ world, page, user, problem }) => {
		const courseId = await addCourse(world, user, "Spinning", 300);
		await visit(world, page, `/teach/courses/${courseId}`);
		await page.locator("summary", { hasText: "Other currencies" }).click();
		const prices = page.getByLabel(/^Prices in other currencies/);
		await prices.fill("EUR 21.505");
		await page.getByRole("button", { name: "Save", exact: false }).first().click();
		await page.getByText("A price in EUR has at most 2 digits after the point.").waitFor();
		await prices.fill("EUR 21.50");
		await page.getByRole("button", { name: "Save", exact: false }).first().click();
		await page.getByText("The changes are saved.").waitFor();
		await checkPage(world, page, problem);

		const student = await createUser(world, "flow_abroad", "Abra");
		const problems = [];
		const abroad = await openContext(world, problems, { user: student, allow: /sandbox|failed: POST .*\/checkout\// });
		const shop = await abroad.newPage();
		await visit(world, shop, `/checkout/${courseId}`);
		await shop.getByLabel("Currency").selectOption("EUR");
		await shop.getByRole("button", { name: /^Pay €21\.50/ }).waitFor();
		await checkPage(world, shop, problem);
		await shop.reload(); // the address has the currency
		await shop.getByRole("button", { name: /^Pay €21\.50/ }).click();
		await shop.getByRole("button", { name: /^Pay EUR / }).click();
		await shop.getByRole("heading", { name: "You are enrolled" }).waitFor();
		await abroad.close();

		const staff = await openContext(world, problems, { user: await createUser(world, "flow_books_admin", "Bookie", "Example", "admin") });
		const office = await staff.newPage();
		await visit(world, office, "/admin/purchases?q=abra");
		await office.getByText("A month for the books").click();
		const [file] = await Promise.all([office.waitForEvent("download"), office.getByRole("button", { name: "Download" }).click()]);
		if (!/^bookings-\d{4}-\d{2}\.csv$/.test(file.suggestedFilename())) problem(`the file is called ${file.suggestedFilename()}`);
		await checkPage(world, office, problem);
		await office.getByRole("link", { name: "Spinning" }).click();
		await office.getByRole("heading", { name: "History" }).waitFor();
		await office.getByText("€21.50").first().waitFor();
		await checkPage(world, office, problem);
		await office.getByRole("link", { name: "All purchases of this student" }).click();
		await office.getByText("Only the purchases of one student.").waitFor();
		await quiet(office);
		await staff.close();
		problems.forEach(problem);
	}, { role: "educator" }),

	...atBothSizes("find purchases by the days on which they were opened", "Tilda", async ({ world, context, page, user, problem }) => {
		const student = await createUser(world, `bought_${user.userId}`, "Timo", user.userId.replace("flow_", "of "));
		const teacher = await createUser(world, `teaches_${user.userId}`, "Tess", "Example", "educator");
		await buy(world, student, await addCourse(world, teacher, "Tiling", 300));
		const devtools = await context.newCDPSession(page);
		await devtools.send("Emulation.setTimezoneOverride", { timezoneId: "Pacific/Auckland" });
		let asked = "";
		page.on("request", (r) => { const url = new URL(r.url()); if (url.pathname === "/api/admin/purchases") asked = ["from", "to"].map((name) => url.searchParams.get(name)).join(); });
		await visit(world, page, `/admin/purchases?q=${encodeURIComponent(student.name)}`);
		const from = page.getByLabel("From"), to = page.getByLabel("To and including");
		const [yesterday, today] = await page.evaluate(() => [1, 0].map((before) => { const at = new Date(); at.setDate(at.getDate() - before); return at.toLocaleDateString("sv"); }));
		await from.fill(yesterday);
		await to.fill(today);
		await page.waitForURL((url) => url.searchParams.get("to") === today);
		await page.getByRole("link", { name: "Tiling" }).waitFor();
		await quiet(page);
		await from.fill("2026-02-10");
		await to.fill("2026-02-01");
		await page.getByText("The last day is before the first one.").waitFor();
		await checkPage(world, page, problem);
		await to.fill("2026-02-10");
		await page.getByRole("heading", { name: /^No purchase is found/ }).waitFor();
		if (asked !== "2026-02-09T11:00:00.000Z,2026-02-10T11:00:00.000Z") problem(`the server is asked for ${asked}`);
		await checkPage(world, page, problem);
		await page.reload();
		await quiet(page);
		if ((await to.inputValue()) !== "2026-02-10") problem("the days are lost when the page is loaded again");
		await from.fill("");
		await to.fill("");
		await page.getByRole("link", { name: student.name }).waitFor();
		if (asked !== ",") problem(`without days the server is asked for ${asked}`);
		await page.getByRole("link", { name: student.name }).click();
		await page.getByText(/^Paid, less refunds: ₹300/).waitFor();
		await page.locator('a[href^="/admin/purchases/"]').click();
		await page.getByRole("heading", { name: "History" }).waitFor();
		await page.getByRole("link", { name: student.name }).waitFor();
		await checkPage(world, page, problem);
	}, { role: "admin" }),
};

// buy pays for a course at the sandbox's gateway, without a browser.
async function buy(world, { userId }, courseId) {
	const { orderId } = await callAs(world, userId, "POST", "/api/user/purchase", { courseId });
	const proof = await json(`${world.sandbox}/checkout/${orderId}`, { method: "POST", body: { action: "pay" } });
	await callAs(world, userId, "POST", "/api/user/verify-gateway", proof);
}
