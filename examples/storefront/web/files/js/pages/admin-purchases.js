// All purchases, with a filter by status.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { moneyIn, time } from "../format.js";
import { dialogButton } from "../components/button.js";
import { dataTable } from "../components/data-table.js";
import { purchaseStatus, statuses } from "../components/purchase-status.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { leftOf, refund } from "./admin-purchases-refund.js";

/** @typedef {import("../types").Answer<"GET /api/admin/purchases">["purchases"][number]} Purchase */

export const title = "Purchases";

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	return [...adminHead("Purchases", "What was ordered, by whom, and what became of it."),
		load(() => read(signal), ({ purchases, names }) => table(purchases, names, query, place))];
}

/** The purchases, and the names of users by id. @param {AbortSignal} signal */
async function read(signal) {
	const [{ purchases }, { users }] = await Promise.all([call("GET /api/admin/purchases", { signal }), call("GET /api/admin/users", { signal })]);
	return { purchases, names: new Map(users.map((user) => [user._id, user.name])) };
}

/** @param {Purchase[]} rows @param {Map<string, string>} names @param {URLSearchParams} query @param {import("../place.js").Place} place */
function table(rows, names, query, place) {
	if (rows.length === 0) return empty("No purchases yet", "They appear here as soon as an order is opened.");
	const buyer = (/** @type {Purchase} */ row) => names.get(row.userId) ?? "Deleted user";
	return dataTable({
		label: "Purchases", noun: ["purchase", "purchases"], rows, query, place, sort: "-time",
		text: (row) => `${row.courseId.courseTitle} ${buyer(row)}`,
		filter: { label: "Status", name: "status", options: [["", "Any status"], ...options()], keep: (row, value) => row.status === value },
		columns: [
			{ name: "course", title: "Course", order: (row) => row.courseId.courseTitle, cell: (row) => h("bdi", {}, row.courseId.courseTitle) },
			{ name: "buyer", title: "Student", order: buyer, cell: (row) => h("bdi", {}, buyer(row)) },
			{ name: "amount", title: "Amount", number: true, down: true, order: (row) => row.amount, cell: amount },
			{ name: "status", title: "Status", order: (row) => row.status, cell: purchaseStatus },
			{ name: "time", title: "Opened", down: true, order: (row) => row.createdAt, cell: (row) => h("time", { dateTime: row.createdAt }, time(row.createdAt)) },
			{ name: "refund", title: "Refund", cell: (row) => refundCell(row, buyer(row)) },
		],
	});
}

/** @returns {[string, string][]} */
const options = () => Object.entries(statuses).map(([value, [text]]) => [value, text]);

/** @param {Purchase} row */
const amount = (row) => moneyIn(row.amount, row.currency);

/** What was refunded, and the button that refunds what is left. A refund changes the row in its place. @param {Purchase} row @param {string} buyer */
function refundCell(row, buyer) {
	const cell = h("div", { class: "stack tight" });
	const draw = () => fill(cell, row.refundedAmount > 0 && h("span", { class: "number" }, moneyIn(row.refundedAmount, row.currency)),
		leftOf(row) > 0 && h("div", {}, dialogButton("Refund", async () => {
			const now = await refund(row, buyer);
			if (!now) return;
			Object.assign(row, { status: now.status, refundedAmount: now.refundedAmount });
			draw();
			const line = cell.closest("tr");
			if (line) { fill(/** @type {HTMLElement} */ (line.querySelector("[data-label=Status] > div")), purchaseStatus(row)); line.tabIndex = -1; line.focus(); }
		}, { kind: "small", name: `Refund ${row.courseId.courseTitle} to ${buyer}` })));
	draw();
	return cell;
}
