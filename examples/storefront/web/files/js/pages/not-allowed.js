// Shown in place of a page for which the caller lacks the role.
import { h } from "../dom.js";
import { empty } from "../components/states.js";
import { pathTo } from "../paths.js";
import { session } from "../session.js";

export const title = "Not for this account";
export const width = "narrow";

export function page() {
	const teaching = location.pathname.startsWith("/teach");
	const action = teaching ? h("a", { class: "button primary", href: "/teach/apply" }, "Become an educator") : h("a", { class: "button primary", href: pathTo.signIn() }, "Sign in as someone else");
	return [h("header", { class: "page-head" }, h("h1", {}, "Not for this account")),
		empty(teaching ? "This page is for educators" : "This page is for administrators", `You are signed in as ${session.person()?.name ?? "a student"}.`, action)];
}
