// Administrators refund purchases.
import { addCourse } from "./storefront_flows.mjs";
import { checkPage } from "./storefront_pages.mjs";
import { admin } from "./storefront_payments.mjs";
import { callAs, counter, createUser, flow, json, quiet, visit } from "./storefront_watch.mjs";

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
};

// buy pays for a course at the sandbox's gateway, without a browser.
async function buy(world, { userId }, courseId) {
	const { orderId } = await callAs(world, userId, "POST", "/api/user/purchase", { courseId });
	const proof = await json(`${world.sandbox}/checkout/${orderId}`, { method: "POST", body: { action: "pay" } });
	await callAs(world, userId, "POST", "/api/user/verify-gateway", proof);
}
