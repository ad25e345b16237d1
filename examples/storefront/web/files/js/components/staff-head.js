// The top of the pages for educators and for administrators.
import { session } from "../session.js";
import { areaHead } from "./area-head.js";

/** @type {[string, string][]} */
const teaching = [["/teach", "Overview"], ["/teach/students", "Students"], ["/teach/insights", "Quiz insights"], ["/teach/submissions", "Submissions"], ["/teach/questions", "Questions"], ["/teach/reviews", "Reviews"], ["/teach/bundles", "Bundles"], ["/teach/coupons", "Coupons"], ["/teach/new", "Publish a course"]];
/** @type {[string, string][]} */
const administration = [["/admin", "Overview"], ["/admin/applications", "Applications"], ["/admin/courses", "Courses"], ["/admin/enrolments", "Enrolments"], ["/admin/submissions", "Submissions"], ["/admin/purchases", "Purchases"], ["/admin/bundles", "Bundles"], ["/admin/coupons", "Coupons"], ["/admin/reports", "Reports"], ["/admin/users", "Users"], ["/admin/decisions", "Decisions"]];

/** @typedef {import("../dom.js").Child | import("../dom.js").Child[]} Title */

/** @param {Title} title @param {string} text */
export const teachHead = (title, text) => areaHead(title, text, "Teaching", teaching);

/** @param {Title} title @param {string} text */
export const adminHead = (title, text) => areaHead(title, text, "Administration", administration);

/** The one of these heads that is for the reader. @param {Title} title @param {string} text */
export const staffHead = (title, text) => (session.role() === "admin" ? adminHead : teachHead)(title, text);
