// The state of an enrolment, for administrators: where it comes from, and when the access ends or has ended.
import { h } from "../dom.js";
import { day } from "../format.js";

/** @typedef {import("../types").Answer<"GET /api/admin/enrollments">["enrollments"][number]} Enrolment */

/** Where an enrolment comes from, with the kind of its badge. @type {Record<Enrolment["origin"], [text: string, kind: string]>} */
const origins = { purchase: ["Bought", ""], free: ["Free course", ""], grant: ["By hand", "accent"] };

/** @param {Enrolment} enrolment */
export function enrolmentState({ origin, createdAt, endedAt, expiresAt }) {
	const [text, kind] = origins[origin];
	return h("p", { class: "row small" }, h("span", { class: `badge ${kind}` }, text), endedAt ? h("span", { class: "badge warn" }, `Ended ${day(endedAt)}`) : expiresAt && accessEnd(expiresAt),
		h("span", { class: "muted" }, `since ${day(createdAt)}`));
}

/** @param {string} at */
const accessEnd = (at) => (Date.parse(at) <= Date.now() ? h("span", { class: "badge warn" }, `Access ended ${day(at)}`) : h("span", { class: "badge" }, `Access until ${day(at)}`));
