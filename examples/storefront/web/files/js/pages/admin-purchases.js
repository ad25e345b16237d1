// All purchases. The server searches and filters, because there may be very many.
import { fill, h, load } from "../dom.js";
import { call, request } from "../api.js";
import { moneyIn, time } from "../format.js";
import { dialogButton } from "../components/button.js";
import { dataTable } from "../components/data-table.js";
import { field } from "../components/field.js";
import { form } from "../components/form.js";
import { dayStart } from "../components/local-time.js";
import { purchaseStatus, statuses } from "../components/purchase-status.js";
import { readOn } from "../components/read-on.js";
import { bundleBadge } from "../components/sold-bundle.js";
import { saveFile } from "../components/save-file.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { userLink } from "../components/user-link.js";
import { pathTo } from "../paths.js";
import { setQuery } from "../router.js";
import { leftOf, refund } from "./admin-purchases-refund.js";

/** @typedef {import("../types").Answer<"GET /api/admin/purchases">["purchases"][number]} Purchase */

export const title = "Purchases";

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	const find = async (/** @type {string} */ q, /** @type {string | undefined} */ cursor = undefined) => {
		const { purchases: rows, nextCursor } = await call("GET /api/admin/purchases", { query: { q, status: chosenStatus(query), userId: query.get("userId") ?? "", courseId: query.get("courseId") ?? "", ...timesOf(query), limit: 100, cursor }, signal });
		return { rows, nextCursor };
	};
	/** The names of all users by id, read once. @type {Promise<Map<string, string>> | undefined} */
	let all;
	const namesOf = () => (all ??= call("GET /api/admin/users", { signal }).then(({ users }) => new Map(users.map((user) => [user._id, user.name]))).catch((error) => { all = undefined; throw error; }));
	const found = h("div", {});
	const draw = () => fill(found, load(async () => {
		const words = (query.get("q") ?? "").trim();
		const [first, names] = await Promise.all([readOn((cursor) => find(words, cursor), undefined, place.rows), namesOf()]);
		return { first, names };
	}, ({ first, names }) => table(first, names, query, place, find)));
	draw();
	return [...adminHead("Purchases", "What was ordered, by whom, and what became of it."), books(signal), selected(query), days(query, () => { place.rows = 0; draw(); }), found];
}

/** The times between which the purchases were opened: from the first day to the end of the last one. @param {URLSearchParams} query */
const timesOf = (query) => ({ from: dayStart(query.get("from") ?? ""), to: dayStart(query.get("to") ?? "", 1) });

/** The fields of the first and the last day. The list stays as it is until the days are right. @param {URLSearchParams} query @param {() => void} onchange */
function days(query, onchange) {
	const choose = () => {
		if (![from, to].every((each) => (each.value() === "" && each.input.validity.valid) || dayStart(each.value())) || !to.valid()) return;
		if (query.get("from") === from.value() && query.get("to") === to.value()) return;
		query.set("from", from.value());
		query.set("to", to.value());
		setQuery(query);
		onchange();
	};
	const from = field("From", { name: "from", type: "date", value: query.get("from") ?? "", oninput: choose });
	const to = field("To and including", { name: "to", type: "date", value: query.get("to") ?? "", check: (value) => (from.value() && value < from.value() ? "The last day is before the first one. Choose a later day." : ""), oninput: choose });
	return h("form", { class: "enrolment-tools day-tools", role: "search", "aria-label": "Days on which the purchases were opened", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, from.element, to.element);
}

/** The status that the reader has chosen, or undefined. @param {URLSearchParams} query */
const chosenStatus = (query) => /** @type {Purchase["status"] | undefined} */ (Object.keys(statuses).find((status) => status === query.get("status")));

/** Says that the list is of one student or course only. @param {URLSearchParams} query */
function selected(query) {
	const userId = query.get("userId"), what = userId ? "student" : query.get("courseId") ? "course" : "";
	return what && h("p", { class: "row" }, `Only the purchases of one ${what}.`, userId && h("a", { href: pathTo.user(userId) }, "About this student"), h("a", { href: "/admin/purchases" }, "Show all"));
}

/** The file of a month for the books of the school. @param {AbortSignal} signal */
function books(signal) {
	const before = new Date();
	before.setUTCMonth(before.getUTCMonth() - 1, 1);
	const month = field("Month", { name: "month", type: "month", value: before.toISOString().slice(0, 7), required: true, placeholder: "2026-01", check: (value) => (/^\d{4}-\d{2}$/.test(value) ? "" : "A month such as 2026-01.") });
	const save = async () => saveFile(await request("GET", `/api/admin/purchases?format=csv&month=${encodeURIComponent(month.value())}`, { accept: "text/csv", signal }), `bookings-${month.value()}.csv`);
	return h("details", {}, h("summary", {}, "A month for the books"), h("div", { class: "card pad stack" },
		h("p", { class: "muted small" }, "Purchases, refunds and papers with their numbers and taxes, in every currency, as a file for spreadsheets."), form([month], { action: "Download", submit: save })));
}

/** @param {{rows: Purchase[], nextCursor: string | null}} first @param {Map<string, string>} names @param {URLSearchParams} query @param {import("../place.js").Place} place @param {import("../components/data-table.js").Source<Purchase>["find"]} find */
function table({ rows, nextCursor }, names, query, place, find) {
	const buyer = (/** @type {Purchase} */ row) => names.get(row.userId) ?? "Deleted user";
	return dataTable({
		label: "Purchases", noun: ["purchase", "purchases"], rows, nextCursor, query, place, sort: "-time",
		source: { find, nothing: (words) => nothing(words, query), hint: "Student, e-mail, order, payment or paper" },
		filter: { label: "Status", name: "status", options: [["", "Any status"], ...options()] },
		columns: [
			{ name: "course", title: "Course", order: (row) => row.courseId.courseTitle, cell: (row) => [h("a", { href: pathTo.purchase(row._id) }, h("bdi", {}, row.courseId.courseTitle)), row.bundleId ? [" ", bundleBadge(row)] : ""].flat() },
			{ name: "buyer", title: "Student", order: buyer, cell: (row) => userLink(row.userId, buyer(row)) },
			{ name: "amount", title: "Amount", number: true, down: true, order: (row) => row.amount, cell: amount },
			{ name: "status", title: "Status", order: (row) => row.status, cell: purchaseStatus },
			{ name: "time", title: "Opened", down: true, order: (row) => row.createdAt, cell: (row) => h("time", { dateTime: row.createdAt }, time(row.createdAt)) },
			{ name: "refund", title: "Refund", cell: (row) => refundCell(row, buyer(row)) },
		],
	});
}

/** What is shown if no purchase is found. @param {string} words @param {URLSearchParams} query */
function nothing(words, query) {
	if (words !== "") return empty(`No purchase is found by “${words}”`, `Try the beginning of a name or of an e-mail address, or the whole number of an order, a payment or a paper${query.get("from") || query.get("to") ? ", or other days" : ""}.`);
	if (query.get("from") || query.get("to")) return empty("No purchases on these days", chosenStatus(query) ? "Choose other days or another status." : "Choose other days.");
	return chosenStatus(query) || query.get("userId") || query.get("courseId") ? empty("No such purchases", "Choose another status.") : empty("No purchases yet", "They appear here as soon as an order is opened.");
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
