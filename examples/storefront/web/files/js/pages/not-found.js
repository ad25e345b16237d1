// Shown for an address that is that of no page.
import { h } from "../dom.js";
import { empty } from "../components/states.js";

export const title = "Not found";
export const width = "narrow";

export const page = () => [h("header", { class: "page-head" }, h("h1", {}, "There is no such page")),
	empty("Nothing is shown at this address", "The page may have been moved, or the link may be incomplete.", h("a", { class: "button primary", href: "/" }, "See all courses"))];
