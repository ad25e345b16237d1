// The top of a student's own pages.
import { h } from "../dom.js";
import { areaHead } from "./area-head.js";

/** @type {[string, string][]} */
const learning = [["/learn", "Courses"], ["/learn/certificates", "Certificates"], ["/learn/time", "Time"], ["/learn/results", "Quiz results"], ["/learn/purchases", "Purchases"], ["/learn/account", "Account"]];

/** @param {string} title @param {string} text */
export const learningHead = (title, text) => areaHead(title, text, "My learning", learning);

/** What a list shows as long as the student has no course. */
export const toCatalogue = () => h("a", { class: "button primary", href: "/" }, "See all courses");
