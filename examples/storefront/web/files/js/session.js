// Who is signed in, in this tab and all others of this browser.
//
// The session token stands in localStorage, so that a reload and other tabs keep the session. Every
// script of this origin can read it there: the Content-Security-Policy admits scripts of this site
// only, and no text of a server or of a user becomes HTML. The token is sent to the API only, in the
// header Authorization, and is never a part of a URL. Drafts and answers are kept in sessionStorage,
// under the id of their user and until the tab is closed; they hold no token. A site with an identity
// provider of its own uses the session of that provider's client in place of this module.

/** @typedef {"student" | "educator" | "admin"} Role */
/** @typedef {{userId: string, name: string, role: Role, imageUrl?: string}} Person */

const key = "storefront.session";

/** token is "" after the session has ended. @returns {{token: string, person: Person} | null} */
function read() {
	try {
		return JSON.parse(localStorage.getItem(key) || "null");
	} catch {
		return null;
	}
}

let current = read();
/** @type {Set<() => void>} */
const watchers = new Set();
const notify = () => watchers.forEach((watch) => watch());

/** @param {{token: string, person: Person} | null} next */
function store(next) {
	current = next;
	if (next) localStorage.setItem(key, JSON.stringify(next));
	else localStorage.removeItem(key);
	notify();
}

addEventListener("storage", (event) => {
	if (event.key !== key && event.key !== null) return;
	current = read();
	notify();
});

export const session = {
	token: () => current?.token ?? "",
	/** @returns {Person | null} */
	person: () => (current?.token ? current.person : null),
	/** @returns {Role | null} */
	role: () => session.person()?.role ?? null,
	/** The person whose session the server no longer accepts, until somebody signs in or out. @returns {Person | null} */
	ended: () => (current && !current.token ? current.person : null),
	/**
	 * Whose what is typed here is, also after the session has ended: the same person finds it again.
	 * @returns {string} an id, "" for nobody
	 */
	writer: () => current?.person.userId ?? "",
	/** @param {string} token @param {Person} person */
	signIn: (token, person) => store({ token, person }),
	signOut: () => store(null),
	/** Drops the token of a session that the server no longer accepts. */
	expire: () => { if (current?.token) store({ token: "", person: current.person }); },
	/** Stores a role that the platform has assigned since the token was issued. @param {Role} role */
	setRole: (role) => { if (current?.token && current.person.role !== role) store({ ...current, person: { ...current.person, role } }); },
	/** Calls watch after each change, also of other tabs. @param {() => void} watch */
	watch: (watch) => { watchers.add(watch); },
};

/**
 * Reads the claims of a token without verifying it; the server verifies it.
 * @param {string} token
 * @returns {{userId: string, role: Role}}
 */
export function claims(token) {
	const part = token.split(".")[1] ?? "";
	const text = atob(part.replace(/-/g, "+").replace(/_/g, "/"));
	const all = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
	const role = all.metadata?.role;
	return { userId: String(all.sub ?? ""), role: role === "educator" || role === "admin" ? role : "student" };
}
