// node docs.mjs MODULES BROWSER URL USER PATH: opens URL/docs in a browser, signs in as USER, executes the operation
// GET PATH, and prints as JSON what the page shows and everything that went wrong on it.
import { createRequire } from "node:module";

const [modules, executablePath, url, user, path] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const timeout = 180_000; // only a failing run reaches it
const problems = [];

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout }); // root has no sandbox
try {
	const page = await open(browser);
	await page.goto(url + "/docs");
	await page.getByLabel("Signed in as").selectOption({ label: user });
	const tags = await page.locator(".opblock-tag").count();
	const operation = await show(page, path);
	await operation.getByRole("button", { name: "Execute" }).click();
	const answer = operation.locator(".live-responses-table");
	const status = await answer.locator(".response-col_status").last().innerText();
	const body = await answer.locator(".response-col_description code").first().innerText();
	console.log(JSON.stringify({ tags, status: status.trim(), body, problems }));
} finally {
	await browser.close();
}

// open returns a page that records errors, refusals of its policy, and requests to other servers.
async function open(browser) {
	const context = await browser.newContext();
	context.setDefaultTimeout(timeout);
	await context.route("**", (route) => {
		const other = new URL(route.request().url());
		if (other.protocol !== "data:" && other.origin !== url) {
			problems.push("request to " + other.href);
			return route.abort();
		}
		return route.continue();
	});
	await context.exposeFunction("report", (problem) => problems.push(problem));
	await context.addInitScript(() => {
		addEventListener("securitypolicyviolation", (e) => window.report(`policy: ${e.violatedDirective} ${e.blockedURI}`));
	});
	const page = await context.newPage();
	page.on("pageerror", (e) => problems.push("error: " + e));
	page.on("requestfailed", (r) => problems.push("failed: " + r.url()));
	page.on("response", (r) => r.status() >= 400 && problems.push(`${r.status()}: ${r.url()}`));
	page.on("console", (m) => ["error", "warning"].includes(m.type()) && problems.push(`console: ${m.text()}`));
	return page;
}

// show opens the tag and the operation of a path, as a reader does, and returns the operation.
async function show(page, path) {
	await page.getByPlaceholder("Filter by tag").fill("Account");
	await page.locator(".opblock-tag", { hasText: "Account" }).click();
	const operation = page.locator(".opblock-get", { has: page.locator(`[data-path="${path}"]`) });
	await operation.locator(".opblock-summary-control").click();
	return operation;
}
