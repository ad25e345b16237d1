// Everyone who has an account. The server searches, because there may be very many.
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
	const find = async (/** @type {string} */ q, /** @type {string | undefined} */ cursor = undefined) => {
		const { users: rows, nextCursor } = await call("GET /api/admin/users", { query: { q, limit: 100, cursor }, signal });
		return { rows, nextCursor };
	};
	return [...adminHead("Users", "Everyone who has an account, with their role and courses."),
		load(() => find((query.get("q") ?? "").trim()), (first) => table(first, query, find))];
}

/** @param {string} words */
const nothing = (words) => (words === "" ? empty("No users yet", "People appear here when the identity provider has told of them.") :
	empty(`No user has “${words}”`, "Try the beginning of a name or of an e-mail address, or fewer words."));

/** @param {{rows: User[], nextCursor?: string | null}} first @param {URLSearchParams} query @param {import("../components/data-table.js").Source<User>["find"]} find */
function table({ rows, nextCursor }, query, find) {
	return dataTable({
		label: "Users", noun: ["user", "users"], rows, nextCursor, query, sort: "-joined",
		source: { find, nothing, hint: "Name or e-mail" },
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
