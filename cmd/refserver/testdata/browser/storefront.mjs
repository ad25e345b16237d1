// node storefront.mjs MODULES BROWSER STOREFRONT API SANDBOX LOOK [JOB]: uses every page of the storefront in a browser,
// and prints as JSON a list of its jobs: {name, problems, note, seconds}. If LOOK is "look", it does all jobs; if it is
// empty, those that a database may change: pages and flows of payments, refunds and searches on a large screen. If LOOK is "stripe", it only buys at
// Stripe, which must take the payments of the server. JOB is a regular expression for the names of the jobs to run. If STOREFRONT_SCREENSHOTS names a folder, a picture of each page is written to it.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { assignments } from "./storefront_assignments.mjs";
import { bundles } from "./storefront_bundles.mjs";
import { coupons } from "./storefront_coupons.mjs";
import { decisions } from "./storefront_decisions.mjs";
import { editing } from "./storefront_editing.mjs";
import { enrolments } from "./storefront_enrolments.mjs";
import { firstPage } from "./storefront_first_page.mjs";
import { flows } from "./storefront_flows.mjs";
import { lectures } from "./storefront_lectures.mjs";
import { material } from "./storefront_material.mjs";
import { moderation } from "./storefront_moderation.mjs";
import { checkPages, table, users } from "./storefront_pages.mjs";
import { notifications } from "./storefront_notifications.mjs";
import { payments } from "./storefront_payments.mjs";
import { places } from "./storefront_places.mjs";
import { quizzes } from "./storefront_quizzes.mjs";
import { refunds } from "./storefront_refunds.mjs";
import { returning } from "./storefront_returning.mjs";
import { searches } from "./storefront_searches.mjs";
import { stripe } from "./storefront_stripe.mjs";
import { students } from "./storefront_students.mjs";
import { timeout } from "./storefront_watch.mjs";
import { writing } from "./storefront_writing.mjs";

const [modules, executablePath, storefront, api, sandbox, look, only = ""] = process.argv.slice(2);
const require = createRequire(modules + "/");
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
const launch = () => chromium.launch({ executablePath, args: ["--no-sandbox"], timeout }); // root has no sandbox
const world = { storefront, api, sandbox, axe, look: look === "look", screenshots: process.env.STOREFRONT_SCREENSHOTS, browser: await launch() };

// Jobs run a few at a time, because each waits for the network as long as it computes. The first page is loaded before
// them, because it is timed.
const atOnce = 3;
try {
	const rows = await table(world);
	const widths = world.look ? [390, 1280] : [1280];
	const jobs = look === "stripe" ? Object.entries(stripe) : Object.keys(users).flatMap((role) => widths.map((width) => [`pages of ${role} at ${width}`, (w, problem) => checkPages(w, rows, role, width, problem)]));
	const ofDatabase = { ...payments, ...refunds, ...searches };
	const others = look === "stripe" ? {} : !world.look ? ofDatabase : { ...ofDatabase, ...writing, ...moderation, ...editing, ...material, ...lectures, ...quizzes, ...assignments, ...bundles, ...coupons, ...notifications, ...enrolments, ...decisions, ...students, ...returning, ...places, ...flows };
	const isChosen = ([name]) => new RegExp(only).test(name) && (world.look || (name !== "first page" && !name.endsWith(" on a phone")));
	const results = [];
	for (const job of [["first page", firstPage]].filter(isChosen)) results.push(await run(...job));
	const waiting = [...jobs, ...Object.entries(others)].filter(isChosen);
	await Promise.all(Array.from({ length: atOnce }, async () => {
		for (let job; (job = waiting.shift());) results.push(await run(...job));
	}));
	console.log(JSON.stringify(results));
} finally {
	await world.browser.close();
}

async function run(name, job) {
	const start = performance.now();
	const problems = [];
	let note = "";
	try {
		note = (await job(world, (text) => problems.push(text))) ?? "";
	} catch (error) {
		problems.push(String(error.stack ?? error));
	}
	return { name, problems, note, seconds: (performance.now() - start) / 1000 };
}
