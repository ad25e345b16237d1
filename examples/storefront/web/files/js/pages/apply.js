// Becoming an educator: the state of the reader's application, and the form that sends one.
import { fill, h, load } from "../dom.js";
import { call } from "../api.js";
import { session } from "../session.js";
import { webURL } from "../web-url.js";
import { day } from "../format.js";
import { actionButton } from "../components/button.js";
import { keepDraft } from "../components/draft.js";
import { field } from "../components/field.js";
import { form } from "../components/form.js";
import { lengthOf, limited } from "../components/limited.js";
import { toast } from "../components/toast.js";

/** @typedef {NonNullable<import("../types").Answer<"GET /api/educator/application-status">["application"]>} Application */

export const title = "Become an educator";
export const width = "narrow";

const maxEntries = 20, maxEntry = 100, maxURL = 2000;

export function page() {
	return [
		h("header", { class: "page-head" }, h("div", {}, h("h1", {}, "Become an educator"), h("p", { class: "lead" }, "Tell us what you do and what you want to teach. A person of the school reads every application."))),
		load(() => call("GET /api/educator/application-status"), ({ application }, reload) => state(application, reload)),
	];
}

/** @param {Application | null} application @param {() => void} reload */
function state(application, reload) {
	if (application?.status === "approved") return approved();
	if (!application && session.role() === "educator") return canTeach("You are an educator already.");
	if (!application) return applicationForm(null, reload);
	if (application.status === "pending") return pending(application, reload);
	return h("div", { class: "stack loose" },
		h("div", { class: "notice bad stack tight" }, h("h2", {}, "Your application was rejected"),
			h("p", { class: "preserve", dir: "auto" }, application.rejectionReason || "No reason was given."), h("p", {}, "You can change it below and apply again.")),
		applicationForm(application, reload));
}

/** The role holds at once; the token of the session need not be a new one. */
function approved() {
	if (session.role() === "student") session.setRole("educator");
	return canTeach("Your application is approved.");
}

/** @param {string} text */
const canTeach = (text) => h("div", { class: "notice good stack" }, h("h2", {}, text), h("p", {}, "You can publish courses, see who takes them and how the quizzes go."),
	h("div", { class: "row" }, h("a", { class: "button primary", href: "/teach" }, "Go to teaching"), h("a", { class: "button", href: "/teach/new" }, "Publish a course")));

/** @param {Application} application @param {() => void} reload */
function pending(application, reload) {
	return h("div", { class: "stack loose" },
		h("div", { class: "notice warn stack tight" }, h("h2", {}, "Your application is being reviewed"), h("p", {}, `You applied on ${day(application.createdAt)}. This page shows the decision as soon as there is one.`),
			h("div", {}, actionButton("Check again", async () => reload()))),
		h("section", { class: "card pad stack" }, h("h2", {}, "What you have sent"),
			h("dl", { class: "stack answers" }, entry("Profession", application.professionalTitle), entry("About you", application.bio),
				entry("What you can teach", h("span", { class: "row" }, application.expertise.map((text) => h("bdi", { class: "badge" }, text)))),
				application.linkedinUrl && webURL(application.linkedinUrl) && entry("Profile", h("a", { href: application.linkedinUrl, target: "_blank", rel: "noopener noreferrer" }, application.linkedinUrl)))));
}

/** @param {string} term @param {Node | string} value */
const entry = (term, value) => h("div", {}, h("dt", { class: "muted small" }, term), h("dd", { class: "preserve", dir: "auto" }, value));

/** @param {Application | null} earlier one that was rejected @param {() => void} reload */
function applicationForm(earlier, reload) {
	const profession = limited("Profession", { name: "profession", max: 200, required: true, value: earlier?.professionalTitle, hint: "Such as: data analyst, potter, teacher of mathematics." });
	const bio = limited("About you", { name: "bio", max: 5000, rows: 8, required: true, value: earlier?.bio, hint: "What you have done, and why you want to teach." });
	const preview = h("p", { class: "row", role: "status" });
	const show = (/** @type {string} */ text) => fill(preview, entriesOf(text).map((item) => h("bdi", { class: "badge" }, item)));
	const expertise = field("What you can teach", { name: "expertise", rows: 3, required: true, value: earlier?.expertise.join(", "), hint: `1 to ${maxEntries} subjects, with commas between them or one on a line.`, check: entriesProblem, oninput: show });
	show(expertise.value());
	expertise.element.append(preview);
	const profile = field("Profile", { name: "profile", inputMode: "url", autocomplete: "url", value: earlier?.linkedinUrl, hint: "A page about you: LinkedIn, a portfolio, your own site.", check: urlProblem });
	const fields = [profession, bio, expertise, profile];
	const forget = keepDraft("apply", fields);
	const submit = async () => {
		const { message } = await call("POST /api/educator/apply", { body: { professionalTitle: profession.value(), bio: bio.value(), expertise: entriesOf(expertise.value()), linkedinUrl: profile.value() } });
		forget();
		toast(message);
		reload();
	};
	return h("section", { class: "card pad", "aria-label": "Application" }, form(fields, { action: earlier ? "Apply again" : "Send the application", submit }));
}

/** @param {string} text */
const entriesOf = (text) => text.split(/[,\n]/).map((item) => item.trim()).filter(Boolean);

/** @param {string} text */
function entriesProblem(text) {
	const all = entriesOf(text);
	const long = all.find((item) => lengthOf(item) > maxEntry);
	if (all.length === 0) return "Name at least one subject.";
	if (long) return `“${long.slice(0, 30)}…” is too long: a subject has at most ${maxEntry} characters.`;
	return all.length > maxEntries ? `These are ${all.length} subjects: remove ${all.length - maxEntries}.` : "";
}

/** @param {string} text */
function urlProblem(text) {
	const url = webURL(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
	if (!url || !url.hostname.includes(".") || /\s/.test(text)) return "Write an address such as https://example.com/you.";
	return lengthOf(text) > maxURL ? `This is too long: an address has at most ${maxURL} characters.` : "";
}
