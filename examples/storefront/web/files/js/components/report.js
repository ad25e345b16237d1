// The button that reports a post, a reply or a review to the administrators.
import { h } from "../dom.js";
import { dialogButton } from "./button.js";
import { ask } from "./dialog.js";
import { keepDraft } from "./draft.js";
import { allValid } from "./field.js";
import { limited } from "./limited.js";
import { toast } from "./toast.js";
import { signedIn } from "./vote.js";

/** @param {string} name what is reported, as "this post" @param {string} key what is reported, for what is typed @param {(reason: string) => Promise<any>} send */
export function reportButton(name, key, send) {
	const button = dialogButton("Report", async () => {
		if (!signedIn() || !(await askWhy(name, key, send))) return;
		button.replaceWith(h("span", { class: "muted small", role: "status" }, "Reported"));
		toast("Thank you. The administrators look at it.");
	}, { kind: "quiet", name: `Report ${name}` });
	return button;
}

/** Asks for the reason and sends the report. A second report by the same person changes nothing. @param {string} name @param {string} key @param {(reason: string) => Promise<any>} send */
async function askWhy(name, key, send) {
	const reason = limited("What is wrong with it?", { name: "reason", rows: 4, max: 500, required: true });
	const forget = keepDraft(`report.${key}`, [reason]);
	const sent = await ask({
		title: `Report ${name}?`, action: "Send the report",
		body: [h("p", {}, "The administrators read your report. The author does not learn who sent it."), reason.element],
		check: () => allValid([reason]),
		submit: () => send(reason.value()),
	});
	if (sent) forget();
	return sent;
}
