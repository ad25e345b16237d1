// The role of a user, for administrators.
import { h } from "../dom.js";

/** @param {string} role */
export const roleBadge = (role) => h("span", { class: `badge ${role === "student" ? "" : "accent"}` }, { student: "Student", educator: "Educator", admin: "Administrator" }[role] ?? role);
