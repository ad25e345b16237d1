// What became of a purchase.
import { h } from "../dom.js";

/** Each status as its text and the kind of its badge. @type {Record<string, [text: string, kind: string]>} */
export const statuses = {
	completed: ["Paid", "good"],
	created: ["Opened", ""],
	pending: ["In progress", "warn"],
	failed: ["Failed", "bad"],
	refunded: ["Refunded", "accent"],
};

/** @param {{status: string}} purchase */
export function purchaseStatus({ status }) {
	const [text, kind] = statuses[status] ?? [status, ""];
	return h("span", { class: `badge ${kind}` }, text);
}
