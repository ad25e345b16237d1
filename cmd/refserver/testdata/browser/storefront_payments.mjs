// Buying a course at the sandbox's gateway: once, however the payment goes and however often a button is clicked.
import { callAs, createUser, flow, quiet, signIn, until } from "./storefront_watch.mjs";

const course = "go-first-steps";
const checkout = `/checkout/${course}`;

// A click that follows another one stops the request of the first, which the gateway answers once.
export const twice = { allow: /sandbox|failed: POST .*\/checkout\// };

export const payments = {
	"buy as a visitor, with reloads and double clicks": flow("", async ({ world, page, problem }) => {
		const user = await createUser(world, "flow_buyer", "Bea", "Buyer");
		await page.goto(world.storefront + "/");
		await page.getByRole("link", { name: "Go: First Steps" }).click();
		await page.getByRole("link", { name: "Sign in to buy" }).click();
		await signIn(page, "Bea Buyer");
		await page.waitForURL(world.storefront + checkout);
		await page.reload();
		await page.getByRole("button", { name: /^Pay / }).dblclick();
		await page.waitForURL((url) => url.origin === world.sandbox);
		await page.reload();
		await page.getByRole("button", { name: /^Pay INR / }).dblclick();
		await enrolled(page);
		await page.reload();
		await enrolled(page);
		await owns(world, user, problem);
		await page.getByRole("link", { name: "Start learning" }).click();
		await page.getByRole("button", { name: /^Mark as done/ }).waitFor();
		await page.goto(world.storefront + `/courses/${course}`);
		await page.getByRole("link", { name: "Continue learning" }).waitFor();
		await quiet(page);
	}, twice),

	"a payment that fails, then one that succeeds": flow("Faye", async ({ world, page, user, problem }) => {
		await page.goto(world.storefront + checkout);
		await page.getByRole("button", { name: /^Pay / }).click();
		await page.getByRole("button", { name: "Let the payment fail" }).click();
		await page.getByText("The payment failed.").waitFor();
		await page.reload();
		await page.getByRole("button", { name: /^Pay / }).click();
		await page.getByRole("button", { name: /^Pay INR / }).click();
		await enrolled(page);
		await owns(world, user, problem);
	}, twice),

	"a payment that is cancelled": flow("Cato", async ({ world, page, user, problem }) => {
		await page.goto(world.storefront + checkout);
		await page.getByRole("button", { name: /^Pay / }).click();
		await page.getByRole("link", { name: "Cancel and go back" }).click();
		await page.getByText("You have not paid.").waitFor();
		await quiet(page);
		const { user: record } = await callAs(world, user.userId, "GET", "/api/user/data");
		if (record.enrolledCourses.length > 0) problem("a cancelled payment enrols");
		// The order waits among the purchases.
		await page.goto(world.storefront + "/learn/purchases");
		await page.getByText("In progress").waitFor();
		await page.getByRole("link", { name: "Go to the checkout: Go: First Steps" }).click();
		await page.getByRole("button", { name: /^Pay / }).waitFor();
		await quiet(page);
	}),

	"a payment that is told late, after the tab was closed": flow("Lars", async ({ world, context, page, user, problem }) => {
		await page.goto(world.storefront + checkout);
		await page.getByRole("button", { name: /^Pay / }).click();
		await page.getByRole("button", { name: /tell the platform late/ }).click();
		await page.getByRole("heading", { name: "Your payment is being processed" }).waitFor();
		const later = await context.newPage();
		await later.goto(page.url());
		await page.close();
		await enrolled(later);
		await owns(world, user, problem);
	}),

	"enrol in a free course": flow("Fritzi", async ({ world, page, user, problem }) => {
		await page.goto(world.storefront + "/courses/drawing-foundations");
		await page.getByRole("button", { name: "Enrol for free" }).dblclick();
		await page.getByRole("link", { name: "Continue learning" }).waitFor();
		await owns(world, user, problem, "drawing-foundations");
	}),
};

function enrolled(page) {
	return page.getByRole("heading", { name: "You are enrolled" }).waitFor();
}

// owns checks that a user has bought a course once.
export async function owns(world, user, problem, courseId = course) {
	await until(async () => (await callAs(world, user.userId, "GET", "/api/user/data")).user.enrolledCourses.includes(courseId), `${user.name} to be enrolled`);
	const { purchases } = await callAs(world, (await admin(world)).userId, "GET", "/api/admin/purchases");
	const own = purchases.filter((purchase) => purchase.userId === user.userId);
	if (own.length !== 1 || own[0].status !== "completed") problem(`${user.name} has ${own.length} purchases: ${own.map((p) => p.status)}`);
}

let administrator;

// admin returns an administrator for the questions of the flows, because the requests of administrators are limited.
export function admin(world) {
	administrator ??= createUser(world, "flow_admin", "Flow", "Admin", "admin");
	return administrator;
}
