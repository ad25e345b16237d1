// Sign-in: as one of the sandbox's people with one click, or with a session token of the server's
// own identity provider.
import { h, load } from "../dom.js";
import { call, sandbox, signInURL } from "../api.js";
import { claims, session } from "../session.js";
import { count } from "../format.js";
import { comeBack } from "../router.js";
import { actionButton } from "../components/button.js";
import { avatar } from "../components/card.js";
import { field } from "../components/field.js";
import { form } from "../components/form.js";

export const title = "Sign in";
export const width = "narrow";

/** What a user of each role does, for readers who try the demo. @type {Record<string, string>} */
const purpose = { student: "buys courses, learns, asks the tutor", educator: "publishes courses and sees how students do", admin: "reviews applications, sees all figures" };

/** @param {import("../router.js").Visit} visit */
export function page({ query }) {
	const next = nextPage(query.get("next"));
	return [
		h("header", { class: "page-head" }, h("div", {}, h("h1", {}, "Sign in"), h("p", { class: "lead" }, signInURL ? "Choose a user. The sandbox is the identity provider of this server, so that no password is needed." : "This server has its own identity provider."))),
		ended(),
		signInURL ? load(() => sandbox("/v1/people"), (answer) => people(answer.people, next)) : withToken(next),
	];
}

/** Says whose session has ended, and what becomes of what they were writing. */
function ended() {
	const person = session.ended();
	return person && h("p", { class: "notice warn ended" }, "Your session has ended. Sign in again as ", h("bdi", {}, person.name),
		": you come back to the page where you were, and what you had typed there is kept on this device, in this tab.");
}

/**
 * The page to open after the sign-in: that of the query, or the one in whose place the sign-in is
 * shown. An address of another site is replaced by the home page.
 * @param {string | null} asked
 */
function nextPage(asked) {
	if (asked === null) return location.pathname === "/sign-in" ? "/" : location.pathname + location.search;
	const url = URL.parse(asked, location.origin);
	return url?.origin === location.origin ? url.pathname + url.search : "/";
}

/** @typedef {{userId: string, name: string, role: string, imageUrl: string}} SandboxUser */

/** The first user of each role and the one whose session has ended, and the others folded away. @param {SandboxUser[]} all @param {string} next */
function people(all, next) {
	const before = session.ended()?.userId;
	const first = all.filter((person) => person.userId === before || all.find((other) => other.role === person.role) === person);
	first.sort((a, b) => Number(b.userId === before) - Number(a.userId === before));
	const others = all.filter((person) => !first.includes(person));
	return [list(first, next), others.length > 0 && h("details", { class: "more-people" },
		h("summary", { class: "button wide" }, count(others.length, "other user")), list(others, next))];
}

/** @param {SandboxUser[]} users @param {string} next */
function list(users, next) {
	return h("ul", { class: "card list" }, users.map((person) => h("li", { class: "row" },
		avatar(person), h("div", { class: "grow" }, h("strong", {}, h("bdi", {}, person.name)), h("div", { class: "muted small" }, `${person.role[0].toUpperCase()}${person.role.slice(1)}: ${purpose[person.role] ?? ""}`)),
		actionButton("Sign in", () => signIn(person, next), { name: `Sign in as ${person.name}, ${person.role}` }))));
}

/** @param {SandboxUser} person @param {string} next */
async function signIn(person, next) {
	const { token } = await sandbox("/v1/sign-in", { userId: person.userId, remember: true });
	session.signIn(token, { userId: person.userId, name: person.name, role: claims(token).role, imageUrl: person.imageUrl });
	await comeBack(next);
}

/** @param {string} next */
function withToken(next) {
	const token = field("Session token", { name: "token", rows: 5, required: true, hint: "A JSON Web Token of your identity provider, such as its front end gets.", check: (value) => (value.split(".").length === 3 ? "" : "A token has three parts with dots between them.") });
	const submit = async () => {
		const { userId, role } = claims(token.value());
		session.signIn(token.value(), { userId, name: userId, role });
		const { user } = await call("GET /api/user/data");
		session.signIn(token.value(), { userId, name: user.name, role, imageUrl: user.imageUrl });
		await comeBack(next);
	};
	return h("div", { class: "card pad" }, form([token], { action: "Sign in", submit }));
}
