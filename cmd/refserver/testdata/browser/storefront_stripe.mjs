// Buying a course at the sandbox's Stripe: in the form of its script, and on the page to which that leads.
import { owns } from "./storefront_payments.mjs";
import { flow, quiet } from "./storefront_watch.mjs";

const checkout = "/checkout/go-first-steps";

// begin opens Stripe's form and goes to its page.
async function begin(world, page) {
	await page.goto(world.storefront + checkout);
	await page.getByRole("button", { name: /^Pay / }).click();
	await page.getByText("You pay on the next page").waitFor();
	await page.getByRole("button", { name: /^Pay / }).click();
	await page.waitForURL((url) => url.origin === world.sandbox);
}

const enrolled = (page) => page.getByRole("heading", { name: "You are enrolled" }).waitFor();

export const stripe = {
	"buy at Stripe, with a reload": flow("Stina", async ({ world, page, user, problem }) => {
		await begin(world, page);
		await page.getByRole("button", { name: /^Pay INR / }).click();
		await enrolled(page);
		await page.reload();
		await enrolled(page);
		await owns(world, user, problem);
		await quiet(page);
	}),

	"a card that is declined, then a bank that asks": flow("Dora", async ({ world, page, user, problem }) => {
		await begin(world, page);
		await page.getByRole("button", { name: "Let the card be declined" }).click();
		await page.getByText("The payment failed.").waitFor();
		await begin(world, page);
		await page.getByRole("button", { name: /3-D Secure/ }).click();
		await page.getByRole("button", { name: "Confirm" }).click();
		await enrolled(page);
		await owns(world, user, problem);
	}),

	"a payment that takes a while": flow("Slava", async ({ world, page, user, problem }) => {
		await begin(world, page);
		await page.getByRole("button", { name: "Pay by a method that takes a while" }).click();
		await page.getByRole("heading", { name: "Your payment is being processed" }).waitFor();
		await enrolled(page);
		await owns(world, user, problem);
	}, { allow: /409/ }),
};
