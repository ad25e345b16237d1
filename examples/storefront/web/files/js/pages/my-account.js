// The account of the signed-in person, and a copy of everything that the school holds about them.
import { h, load } from "../dom.js";
import { call, request } from "../api.js";
import { session } from "../session.js";
import { actionButton } from "../components/button.js";
import { avatar } from "../components/card.js";
import { field } from "../components/field.js";
import { form } from "../components/form.js";
import { learningHead } from "../components/learning-head.js";
import { saveFile } from "../components/save-file.js";
import { toast } from "../components/toast.js";

export const title = "My account";

/** @type {Record<string, string>} */
const roles = { student: "Student", educator: "Educator", admin: "Administrator" };

/** @param {import("../router.js").Visit} visit */
export const page = ({ signal }) => [
	...learningHead("My account", "Who you are here, and what the school knows about you."),
	load(() => call("GET /api/user/data", { signal }), ({ user }) => h("div", { class: "stack loose account" }, person(user), load(() => call("GET /api/user/billing", { signal }), ({ billing }) => receipts(billing)), download(signal))),
];

/** What stands on receipts of later purchases. @param {import("../types").Answer<"GET /api/user/billing">["billing"]} saved */
function receipts(saved) {
	const name = field("Name or company", { name: "name", value: saved?.name, required: true, maxLength: 200, autocomplete: "billing name" });
	const address = field("Address", { name: "address", value: saved?.address, required: true, rows: 3, maxLength: 1000 });
	const country = field("Country", { name: "country", value: saved?.country, required: true, maxLength: 2, autocomplete: "billing country", hint: "Its two letters, such as IN or DE.",
		check: (text) => (/^[A-Za-z]{2}$/.test(text) ? "" : "Please write the two letters of the country.") });
	const taxId = field("Tax number", { name: "taxId", value: saved?.taxId, maxLength: 50, hint: "Of a company, if it has one." });
	return h("section", { class: "card pad stack" }, h("h2", {}, "Receipts"),
		h("p", { class: "muted small" }, "What stands on the receipts of your next purchases. Receipts that you have stay as they are."),
		form([name, address, country, taxId], { action: "Save", submit: async () => {
			await call("PUT /api/user/billing", { body: { name: name.value(), address: address.value(), country: country.value().toUpperCase(), taxId: taxId.value() } });
			toast("Your next receipts have this address.");
		} }));
}

/** @param {import("../types").Answer<"GET /api/user/data">["user"]} user */
const person = (user) => h("section", { class: "card pad row" }, avatar(user, "large"),
	h("div", {}, h("h2", {}, h("bdi", {}, user.name)), h("p", { class: "muted" }, user.email), h("p", { class: "muted small" }, roles[session.role() ?? ""] ?? "")));

/** @param {AbortSignal} signal */
const download = (signal) => h("section", { class: "card pad stack" }, h("h2", {}, "Your data"),
	h("p", {}, "One file with everything that the school holds about you: your record, purchases, enrolments, progress, ratings, time, quiz results, chats, what you wrote in the community, and your certificates. It is JSON, which other programs can read."),
	h("p", { class: "muted small" }, "You can download it five times an hour. Keep it where only you can read it."),
	h("div", {}, actionButton("Download my data", async () => {
		await saveFile(await request("GET", "/api/user/export", { signal }), "my-data.json");
		toast("Your data is saved as my-data.json.");
	}, { kind: "primary" })));
