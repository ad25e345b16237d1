// The top of the pages of one area of the site: heading, what the page is good for, and the links
// to the other pages of the area.
import { h } from "../dom.js";
import { subnav } from "./subnav.js";

/** @param {import("../dom.js").Child | import("../dom.js").Child[]} title @param {string} text @param {string} area @param {[path: string, text: string][]} links */
export const areaHead = (title, text, area, links) => [
	h("header", { class: "page-head area-head" }, h("div", {}, h("h1", {}, title), h("p", { class: "lead" }, text))),
	subnav(area, links),
];
