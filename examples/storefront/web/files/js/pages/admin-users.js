// Everyone who has an account.
import { h, load } from "../dom.js";
import { call } from "../api.js";
import { day, number } from "../format.js";
import { avatar } from "../components/card.js";
import { dataTable } from "../components/data-table.js";
import { adminHead } from "../components/staff-head.js";
import { empty } from "../components/states.js";

/** @typedef {import("../types").Answer<"GET /api/admin/users">["users"][number]} User */

export const title = "Users";

/** @type {[string, string][]} */
const roles = [["", "All roles"], ["student", "Students"], ["educator", "Educators"], ["admin", "Administrators"]];

/** @param {import("../router.js").Visit} visit */
export function page({ query, signal }) {
	return [...adminHead("Users", "Everyone who has an account, with their role and courses."),
		load(() => call("GET /api/admin/users", { signal }), ({ users }) => table(users, query))];
}

/** @param {User[]} rows @param {URLSearchParams} query */
function table(rows, query) {
	if (rows.length === 0) return empty("No users yet", "People appear here when the identity provider has told of them.");
	return dataTable({
		label: "Users", noun: ["user", "users"], rows, query, sort: "-joined",
		text: (row) => `${row.name} ${row.email}`,
		filter: { label: "Role", name: "role", options: roles, keep: (row, value) => row.role === value },
		columns: [
			{ name: "name", title: "Name", order: (row) => row.name, cell: person },
			{ name: "role", title: "Role", order: (row) => row.role, cell: roleBadge },
			{ name: "enrolled", title: "Enrolled in", number: true, down: true, order: (row) => row.enrolledCount, cell: (row) => number(row.enrolledCount) },
			{ name: "taught", title: "Teaches", number: true, down: true, order: (row) => row.coursesCreated, cell: (row) => number(row.coursesCreated) },
			{ name: "joined", title: "Joined", down: true, order: (row) => row.createdAt, cell: (row) => h("time", { dateTime: row.createdAt }, day(row.createdAt)) },
		],
	});
}

/** @param {User} row */
const person = (row) => h("span", { class: "person" }, avatar(row), h("span", {}, h("bdi", {}, row.name), h("div", { class: "muted small" }, row.email)));

/** @param {User} row */
const roleBadge = (row) => h("span", { class: `badge ${row.role === "student" ? "" : "accent"}` }, { student: "Student", educator: "Educator", admin: "Administrator" }[row.role] ?? row.role);
