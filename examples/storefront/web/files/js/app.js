// The frame of every page: header with navigation, main, footer.
import { fill, h, svg } from "./dom.js";
import { arrived } from "./module.js";
import { pathTo } from "./paths.js";
import { go, main, start, watchPages } from "./router.js";
import { session } from "./session.js";

const accountPath = "/learn/account";

/** Where the bell is, once its module has arrived. */
const bellPlace = h("span", { class: "bell-place" });

/** Shows the bell to who is signed in. It is loaded after the first page, which does not need it; without a connection there is none until the document is loaded again. */
async function drawBell() {
	bellPlace.hidden = !session.person();
	if (bellPlace.hidden || bellPlace.hasChildNodes()) return;
	const module = await arrived(import("./components/bell.js")).catch((error) => { if (error.status !== 0) throw error; });
	if (module) fill(bellPlace, module.bell());
}

/** The links of the navigation, by role. A visitor is not signed in. */
const links = {
	visitor: [["/", "Courses"], ["/bundles", "Bundles"], ["/community", "Community"], ["/verify", "Verify a certificate"]],
	student: [["/", "Courses"], ["/learn", "My learning"], ["/tutor", "Tutor"], ["/roadmaps", "Roadmaps"], ["/community", "Community"], ["/teach/apply", "Teach"]],
	educator: [["/", "Courses"], ["/learn", "My learning"], ["/tutor", "Tutor"], ["/roadmaps", "Roadmaps"], ["/community", "Community"], ["/teach", "Teaching"]],
	admin: [["/", "Courses"], ["/learn", "My learning"], ["/tutor", "Tutor"], ["/roadmaps", "Roadmaps"], ["/community", "Community"], ["/admin", "Administration"]],
};

const nav = h("nav", { class: "site-nav", id: "site-nav", "aria-label": "Main" });
const menu = h("button", { class: "button quiet icon menu-button", type: "button", "aria-label": "Menu", "aria-controls": "site-nav", "aria-expanded": "false", onclick: () => showMenu(!nav.classList.contains("open")) }, icon("M3 6h18M3 12h18M3 18h18"));
const account = h("div", { class: "site-end" });

/** A picture of 24 by 24 units in the colour of the text. @param {string} path @param {string} [filled] a part that is filled */
function icon(path, filled = "") {
	return svg("svg", { class: "icon-picture", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }), filled && svg("path", { d: filled, fill: "currentColor" }));
}

/** @param {boolean} shown */
function showMenu(shown) {
	nav.classList.toggle("open", shown);
	menu.setAttribute("aria-expanded", String(shown));
}

/** The link of the navigation that the current page belongs to: the longest that its path begins with. */
function currentLink() {
	const paths = [...nav.querySelectorAll("a")].map((a) => a.pathname).filter((path) => path !== accountPath); // a page of "My learning"
	const within = paths.filter((path) => location.pathname === path || (path !== "/" && location.pathname.startsWith(path + "/")) || (path === "/" && /^\/(courses\/|bundles(\/|$))/.test(location.pathname)));
	return within.sort((a, b) => b.length - a.length)[0];
}

function drawHeader() {
	const person = session.person();
	fill(nav, links[session.role() ?? "visitor"].map(([path, text]) => h("a", { href: path }, text)), person && accountLinks(person));
	const current = currentLink();
	for (const a of nav.querySelectorAll("a")) if (a.pathname === current || a.pathname === location.pathname) a.setAttribute("aria-current", "page");
	fill(account, person ? [bellPlace, h("a", { class: "muted small signed-in", href: accountPath, title: person.name, "aria-label": `${person.name}: account` }, person.name), h("button", { class: "button quiet sign-out", type: "button", onclick: signOut }, "Sign out")] : h("a", { class: "button", href: signInPath() }, "Sign in"), themeButton());
}

/** What the menu of a narrow screen has at its end, because the header has no room for it. @param {import("./session.js").Person} person */
const accountLinks = (person) => [
	h("a", { class: "nav-account", href: accountPath }, "Account", h("bdi", { class: "muted small nav-name" }, person.name)),
	h("button", { class: "nav-account", type: "button", onclick: signOut }, "Sign out"),
];

function signInPath() {
	const here = location.pathname + location.search;
	return here === "/" || here.startsWith("/sign-in") ? "/sign-in" : pathTo.signIn();
}

function signOut() {
	session.signOut();
	go("/");
}

function themeButton() {
	const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
	const button = h("button", { class: "button quiet icon", type: "button", onclick: () => {
		const next = dark() ? "light" : "dark";
		document.documentElement.dataset.theme = next;
		localStorage.setItem("storefront.theme", next);
		label();
	} }, icon("M12 3a9 9 0 0 0 0 18a9 9 0 0 0 0-18z", "M12 3a9 9 0 0 1 0 18z"));
	const label = () => button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
	label();
	return button;
}

const theme = localStorage.getItem("storefront.theme");
if (theme) document.documentElement.dataset.theme = theme;

fill(document.body,
	h("a", { class: "skip", href: "#main" }, "Skip to the content"),
	h("header", { class: "site-header" }, h("div", { class: "site-bar" },
		h("a", { class: "site-name", href: "/" }, h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }), "Open Lectern"), nav, account, menu)),
	main,
	h("footer", { class: "site-footer" }, h("div", {},
		h("p", {}, "A school made with Open Lectern, the back end for Go teams who teach."),
		h("p", {}, h("a", { href: (document.documentElement.dataset.api || "") + "/docs" }, "API reference")))));

watchPages(() => { showMenu(false); drawHeader(); drawBell(); });
session.watch(() => { drawHeader(); drawBell(); });
drawHeader();
start();

// The first use of Intl takes a while on a phone. It is made while the catalogue arrives.
setTimeout(() => new Intl.NumberFormat(navigator.language).format(1));
