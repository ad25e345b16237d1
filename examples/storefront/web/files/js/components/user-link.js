// The name of a user as a link to the page about them, for administrators.
import { h } from "../dom.js";
import { pathTo } from "../paths.js";

/** @param {string} userId "" if it is not known: then there is no link @param {string} name */
export const userLink = (userId, name) => (userId === "" ? h("bdi", {}, name) : h("a", { href: pathTo.user(userId) }, h("bdi", {}, name)));
