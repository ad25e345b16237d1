// Educators make coupons, and students buy with them.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { admin } from "./storefront_payments.mjs";
import { callAs, createUser, flow, quiet, visit } from "./storefront_watch.mjs";

export const coupons = {
	"create, change and switch off coupons": flow("Corinna", async ({ world, page, user, problem }) => {
		await addCourse(world, user, "Calligraphy", 200);
		await visit(world, page, "/teach/coupons");
		for (const answer of ["The coupon INK-20 can be used.", "A coupon with this code already exists. Choose another one."]) {
			await page.getByRole("button", { name: "Create a coupon" }).click();
			await page.getByLabel("Code", { exact: true }).fill("ink-20");
			await page.getByRole("button", { name: "Create the coupon" }).click();
			await page.getByText("Please fill this in.").first().waitFor();
			await page.getByLabel("How much").fill("20");
			await checkPage(world, page, problem);
			await page.getByRole("button", { name: "Create the coupon" }).dblclick();
			await page.getByText(answer).waitFor();
		}
		await page.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Change the coupon INK-20" }).click();
		await page.getByLabel("Ends").fill("2099-12-31T12:00");
		await page.getByLabel(/^How many times/).fill("5");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).dblclick();
		await page.getByText(/^Used 0 of 5 times · valid until 31 Dec 2099/).waitFor();
		await page.getByRole("button", { name: "Change the coupon INK-20" }).click();
		await page.getByLabel("Ends").fill("");
		await page.getByLabel(/^How many times/).fill("");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByText("Used 0 times · valid without an end").waitFor();
		await page.getByRole("button", { name: "Change the coupon INK-20" }).click();
		await page.getByLabel(/^How many times/).fill("5");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByText(/^Used 0 of 5 times/).waitFor();
		await page.getByRole("button", { name: "Switch off the coupon INK-20" }).dblclick();
		await page.getByRole("button", { name: "Switch on the coupon INK-20" }).waitFor();
		await quiet(page);
		const { coupons } = await callAs(world, user.userId, "GET", "/api/educator/coupons");
		if (coupons.length !== 1 || coupons[0].maxRedemptions !== 5 || coupons[0].isActive || coupons[0].percentOff !== 20) problem(`the coupons are ${JSON.stringify(coupons)}`);
	}, { role: "educator", allow: /409/ }),

	"buy with a coupon": flow("Kuno", async ({ world, page, user, problem }) => {
		const teacher = await createUser(world, "flow_coupon_teacher", "Kolja", "Example", "educator");
		const courseId = await addCourse(world, teacher, "Knitting", 200);
		for (const [code, percentOff] of [["WOOL-25", 25], ["GIFT", 100]]) await callAs(world, teacher.userId, "POST", "/api/educator/coupons", { code, percentOff, courseId });
		await page.goto(`${world.storefront}/checkout/${courseId}`);
		await page.getByText("I have a coupon").click();
		await page.getByLabel("Coupon code").fill("WOOL-52");
		await page.getByRole("button", { name: "Apply" }).click();
		await page.getByText("Coupon not found. Check the spelling of the code.").waitFor();
		await page.getByLabel("Coupon code").fill("wool-25");
		await page.getByRole("button", { name: "Apply" }).dblclick();
		await page.getByText("Coupon WOOL-25, 25 % off").waitFor();
		await checkPage(world, page, problem);
		await page.reload();
		await page.getByRole("button", { name: "Pay ₹150" }).waitFor();
		await page.getByRole("button", { name: "Remove the coupon" }).click();
		await page.getByRole("button", { name: "Pay ₹200" }).waitFor();
		await page.getByText("I have a coupon").click();
		await page.getByLabel("Coupon code").fill("WOOL-25");
		await page.getByRole("button", { name: "Apply" }).click();
		await page.getByRole("button", { name: "Pay ₹150" }).dblclick();
		await page.getByRole("button", { name: /^Pay INR 150/ }).click();
		await page.getByRole("heading", { name: "You are enrolled" }).waitFor();
		const { purchases } = await callAs(world, (await admin(world)).userId, "GET", "/api/admin/purchases");
		const own = purchases.filter((purchase) => purchase.userId === user.userId && purchase.status === "completed");
		if (own.length !== 1 || own[0].amount !== 150) problem(`the purchases are ${JSON.stringify(own)}`);

		const other = await addCourse(world, teacher, "Crochet", 200);
		await callAs(world, teacher.userId, "POST", "/api/educator/coupons", { code: "FREE", percentOff: 100, courseId: other });
		await page.goto(`${world.storefront}/checkout/${other}?coupon=GIFT`);
		await page.getByText("The coupon is not applied.").waitFor();
		await page.goto(`${world.storefront}/checkout/${other}?coupon=FREE`);
		await page.getByRole("button", { name: "Enrol for free" }).dblclick();
		await page.getByRole("heading", { name: "You are enrolled" }).waitFor();
	}, { allow: /40[49]|sandbox|failed: POST .*\/checkout\// }),
};
