// Shows the page of a path. A page is a module of js/pages that is loaded when it is first opened.
import { failed } from "./components/states.js";
import { fill, h, waiting } from "./dom.js";
import { arrived } from "./module.js";
import { keepPlace, placeOf, scrolled, scrollWhenLongEnough } from "./place.js";
import { routes } from "./routes.js";
import { session } from "./session.js";

/**
 * What a page gets: the values of its path and query, a signal that is aborted when the reader leaves
 * the page, and the place where they were on it before. A list that goes on stores in place.rows how
 * many rows it shows, and begins with as many.
 * @typedef {{params: Record<string, string>, query: URLSearchParams, signal: AbortSignal, place: import("./place.js").Place}} Visit
 * A page module exports title (a string or a function of the visit) and page, which returns the
 * children of <main>. It may export width ("narrow").
 * @typedef {{title: string | ((visit: Visit) => string), page: (visit: Visit) => any, width?: string}} Page
 */

/** What shows the pages. */
export const main = h("main", { id: "main", tabIndex: -1 });
/** Aborted when the reader leaves the page that is shown. */
let visitEnd = new AbortController();
/** The id of the current entry of the history, and the place of its page. @type {string} */
let entry = history.state?.entry ?? newEntry();
let place = placeOf(entry);
/** The entry whose page is shown; the next one may be on its way. */
let shownEntry = "";
/** Resolved when the style sheet of all pages but the home page applies. @type {Promise<any>} */
let styles = Promise.resolve();
/** @type {Set<() => void>} */
const pageWatchers = new Set();

function newEntry() { return Math.random().toString(36).slice(2); }

/** Stores the place of the page that the reader leaves. */
function leave() {
	if (shownEntry === entry) keepPlace(entry, { ...place, top: scrolled() });
}

/** The route of a path and the values in it, or null. @param {string} path @returns {{route: import("./routes.js").Route, params: Record<string, string>} | null} */
function routeOf(path) {
	const parts = path.split("/").filter(Boolean);
	for (const route of routes) {
		const names = route.path.split("/").filter(Boolean);
		if (names.length !== parts.length || !names.every((name, i) => name.startsWith(":") || name === parts[i])) continue;
		return { route, params: Object.fromEntries(names.flatMap((name, i) => (name.startsWith(":") ? [[name.slice(1), decodeURIComponent(parts[i])]] : []))) };
	}
	return null;
}

/** The page that must be shown instead of one for which the caller lacks the role. @param {import("./routes.js").Route} route */
function substitute(route) {
	if (!route.needs) return "";
	if (!session.token()) return "sign-in";
	return route.needs === "user" || session.role() === route.needs ? "" : "not-allowed";
}

/**
 * Opens a path of this site at its top and moves the focus to its heading.
 * @param {string} path
 * @param {{replace?: boolean}} [options]
 */
export function go(path, { replace = false } = {}) {
	leave();
	const from = replace ? history.state?.from : location.pathname + location.search;
	entry = newEntry();
	history[replace ? "replaceState" : "pushState"]({ entry, from }, "", path);
	return show(placeOf(entry)).then(focusPage);
}

/** Opens the page that the sign-in was opened for: as the reader left it, if they came from there. @param {string} path */
export async function comeBack(path) {
	if (history.state?.from === path) history.back();
	else await go(path, { replace: true });
}

/** Changes the query of the current page without opening it again. Empty values are left out. @param {URLSearchParams} query */
export function setQuery(query) {
	const text = new URLSearchParams([...query].filter(([, value]) => value !== "")).toString();
	history.replaceState(history.state, "", location.pathname + (text ? "?" + text : ""));
}

/** Shows the page of the current path again, where it is scrolled to. */
export const refresh = () => show({ ...place, top: scrolled() });

/** Changes the title of the page that is shown. @param {string} text */
export const setTitle = (text) => { document.title = `${text} · Open Lectern`; };

/** Calls watch after each change of page. @param {() => void} watch */
export const watchPages = (watch) => { pageWatchers.add(watch); };

/** The module of a page. @param {string} name @returns {Promise<Page>} */
const moduleOf = (name) => arrived(import(`./pages/${name}.js`));

/** Loads the style sheet that the home page does without, and returns when it applies. If it does not arrive, the page is shown without. */
function otherStyles() {
	const href = "/pages.css";
	if (document.querySelector(`link[href="${href}"]`)) return styles;
	return (styles = new Promise((resolve) => { document.head.append(h("link", { rel: "stylesheet", href, onload: resolve, onerror: (/** @type {Event} */ event) => { /** @type {Element} */ (event.target).remove(); resolve(null); } })); }));
}

/** Tries again after a page has not arrived. The document is loaded again, because a browser remembers that a module has not arrived. */
const tryAgain = () => (navigator.onLine ? location.reload() : refresh());

/** Shows the page of the current path. @param {import("./place.js").Place} at where the reader was on it */
async function show(at) {
	visitEnd.abort();
	const { signal } = (visitEnd = new AbortController());
	place = at;
	document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
	const found = routeOf(location.pathname);
	const name = found ? substitute(found.route) || found.route.module : "not-found";
	/** @type {Visit} */
	const visit = { params: found?.params ?? {}, query: new URLSearchParams(location.search), signal, place };
	const slow = setTimeout(() => document.body.prepend(h("div", { class: "progress-line", role: "status", "aria-label": "Loading the page" })), 250);
	try {
		const [page] = await Promise.all([moduleOf(name), name !== "home" && otherStyles()]);
		const content = await page.page(visit);
		if (signal.aborted) return;
		setTitle(typeof page.title === "function" ? page.title(visit) : page.title);
		main.className = page.width ?? "";
		fill(main, content);
	} catch (error) {
		if (signal.aborted) return;
		setTitle("This page cannot be shown");
		fill(main, h("h1", { class: "visually-hidden" }, "This page cannot be shown"), failed(error, /** @type {any} */ (error).status === 0 ? tryAgain : refresh));
	} finally {
		clearTimeout(slow);
		document.querySelectorAll(".progress-line").forEach((line) => line.remove());
	}
	shownEntry = entry;
	scrollWhenLongEnough(main, at.top, signal);
	pageWatchers.forEach((watch) => watch());
}

/** Moves the focus to the new page, so that a screen reader begins there. */
function focusPage() {
	const heading = main.querySelector("h1");
	const target = heading ?? main;
	target.tabIndex = -1;
	target.focus({ preventScroll: true });
}

/** Opens the page of a link of this site without a reload. @param {MouseEvent} event */
function followLink(event) {
	const link = /** @type {Element} */ (event.target).closest("a");
	if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
	if (link.target || link.hasAttribute("download") || link.origin !== location.origin || link.pathname.startsWith("/lectures/")) return;
	if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
	event.preventDefault();
	go(link.pathname + link.search + link.hash);
}

/** Shows the page of the address and follows links from then on. */
export function start() {
	history.scrollRestoration = "manual";
	history.replaceState({ ...history.state, entry }, "");
	document.addEventListener("click", followLink);
	addEventListener("pagehide", leave);
	addEventListener("popstate", (event) => {
		leave();
		entry = event.state?.entry ?? newEntry();
		if (!event.state) history.replaceState({ entry }, "");
		show(placeOf(entry)).then(focusPage);
	});
	let token = session.token();
	session.watch(() => {
		if (session.token() === token) return;
		token = session.token();
		if (session.ended() && document.querySelector("[data-kept]")) return; // what is being written stays in view
		if (location.pathname !== "/sign-in") refresh(); // the sign-in opens the next page itself
	});
	fill(main, waiting());
	return show(place);
}
