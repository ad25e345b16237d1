// Everyone who has an account. The server searches and filters, because there may be very many.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { day, number } from "../format.js";
import { avatar } from "../components/card.js";
import { dataTable } from "../components/data-table.js";
import { readOn } from "../components/read-on.js";
import { roleBadge } from "../components/role.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";
import { userLink } from "../components/user-link.js";

/** @typedef {import("../types").Answer<"GET /api/admin/users">["users"][number]} User */

export const title = "Users";

/** @typedef {"student" | "educator" | "admin"} Role */
/** The roles, and what a list without users of the role says. @type {[Role | "", text: string, nobody: string][]} */
const roles = [["", "All roles", "No users yet"], ["student", "Students", "No students"], ["educator", "Educators", "No educators"], ["admin", "Administrators", "No administrators"]];

/** The role that the reader has chosen, or undefined. @param {URLSearchParams} query */
const chosenRole = (query) => roles.find(([role]) => role !== "" && role === query.get("role"))?.[0] || undefined;

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal, place }) {
	const find = async (/** @type {string} */ q, /** @type {string | undefined} */ cursor = undefined) => {
		const { users: rows, nextCursor } = await call("GET /api/admin/users", { query: { q, role: chosenRole(query), limit: 100, cursor }, signal });
		return { rows, nextCursor };
	};
	const words = (query.get("q") ?? "").trim();
	return [...adminHead("Users", "Everyone who has an account, with their role and courses."),
		load(() => readOn((cursor) => find(words, cursor), undefined, place.rows), (first) => table(first, query, place, find))];
}

/** What is shown if no user is found. @param {string} words @param {URLSearchParams} query */
function nothing(words, query) {
	const role = chosenRole(query);
	if (words !== "") return empty(`No user has “${words}”`, `Try the beginning of a name or of an e-mail address, or fewer words${role ? ", or another role" : ""}.`);
	const nobody = roles.find(([name]) => name === (role ?? ""))?.[2] ?? "";
	return empty(nobody, role ? "Nobody has this role. Choose another one." : "People appear here when the identity provider has told of them.");
}

/** @param {{rows: User[], nextCursor: string | null}} first @param {URLSearchParams} query @param {import("../place.js").Place} place @param {import("../components/data-table.js").Source<User>["find"]} find */
function table({ rows, nextCursor }, query, place, find) {
	return dataTable({
		label: "Users", noun: ["user", "users"], rows, nextCursor, query, sort: "-joined", place,
		source: { find, nothing: (words) => nothing(words, query), hint: "Name or e-mail" },
		filter: { label: "Role", name: "role", options: roles.map(([role, text]) => [role, text]) },
		columns: [
			{ name: "name", title: "Name", order: (row) => row.name, cell: person },
			{ name: "role", title: "Role", order: (row) => row.role, cell: (row) => roleBadge(row.role) },
			{ name: "enrolled", title: "Enrolled in", number: true, down: true, order: (row) => row.enrolledCount, cell: (row) => number(row.enrolledCount) },
			{ name: "taught", title: "Teaches", number: true, down: true, order: (row) => row.coursesCreated, cell: (row) => number(row.coursesCreated) },
			{ name: "joined", title: "Joined", down: true, order: (row) => row.createdAt, cell: (row) => h("time", { dateTime: row.createdAt }, day(row.createdAt)) },
		],
	});
}

/** @param {User} row */
const person = (row) => h("span", { class: "person" }, avatar(row), h("span", {}, userLink(row._id, row.name), h("div", { class: "muted small" }, row.email)));
