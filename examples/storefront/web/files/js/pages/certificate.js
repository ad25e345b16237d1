// Verification of a certificate: by its id or link, or from the link that its owner shares.
import { h } from "../dom.js";
import { ApiError, apiURL, call } from "../api.js";
import { day } from "../format.js";
import { go } from "../router.js";
import { actionButton } from "../components/button.js";
import { field } from "../components/field.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";

/** @typedef {import("../types").Answer<"GET /api/certificate/verify/{certificateId}">} Answer */

let heading = "";
export const title = () => heading;
export const width = "narrow";

/** An id of a certificate, also within a link. */
const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** @param {import("../router.js").Visit} visit */
export async function page({ params: { certificateId = "" }, signal }) {
	heading = "Verify a certificate";
	return [
		h("header", { class: "page-head" }, h("div", {}, h("h1", {}, "Verify a certificate"), h("p", { class: "lead" }, "See whether a certificate was issued by this school, and whether it still holds."))),
		h("div", { class: "stack loose" }, certificateId && (await result(certificateId, signal)), form(certificateId)),
	];
}

/** @param {string} certificateId */
function form(certificateId) {
	const id = field("Certificate id or link", { name: "certificate", required: true, hint: "The id is printed at the foot of the certificate; you may paste the whole link.", check: (value) => (idPattern.test(value) ? "" : "An id has 32 digits and letters, such as 0f8fad5b-d9cb-469f-a165-70867728950e.") });
	return h("form", { class: "card pad stack", noValidate: true, "aria-label": "Certificate to verify", onsubmit: (/** @type {Event} */ event) => {
		event.preventDefault();
		if (!id.valid()) return id.input.focus();
		go(`/certificates/${idPattern.exec(id.value())?.[0].toLowerCase()}`);
	} }, id.element, h("div", {}, h("button", { class: `button ${certificateId ? "" : "primary"}`, type: "submit" }, certificateId ? "Verify another one" : "Verify")));
}

/** @param {string} certificateId @param {AbortSignal} signal */
async function result(certificateId, signal) {
	try {
		return shown(await call("GET /api/certificate/verify/{certificateId}", { path: { certificateId }, signal }));
	} catch (error) {
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		return empty("There is no such certificate", "This school has not issued a certificate with this id. Compare it with the one on the certificate, character by character, or ask its owner for the link.");
	}
}

/** @param {Answer} answer */
function shown({ valid, certificate, reason, revokedAt }) {
	const { certificateId, studentName, courseTitle, educatorName, issuerName, completionDate, issuedAt } = certificate;
	heading = `${studentName}: ${courseTitle}`;
	return h("article", { class: `card certificate ${valid ? "" : "revoked"}` },
		h("p", { class: `row verdict ${valid ? "good" : "bad"}` }, h("span", { class: "tick", "aria-hidden": "true" }, valid ? "✓" : "✕"), h("strong", {}, valid ? "This certificate is valid" : "This certificate was revoked")),
		!valid && h("p", { class: "notice bad" }, revokedAt ? `It was revoked on ${day(revokedAt)}. ` : "It is no longer valid. ", reason && h("span", {}, "Reason: ", h("bdi", {}, reason))),
		h("div", { class: "certificate-text" }, h("h2", {}, h("bdi", {}, studentName)), h("p", { class: "muted" }, "has completed the course"), h("p", { class: "certificate-course" }, h("bdi", {}, courseTitle))),
		h("dl", { class: "facts" }, fact("Educator", h("bdi", {}, educatorName)), fact("School", h("bdi", {}, issuerName)), fact("Completed", dated(completionDate)), fact("Issued", dated(issuedAt)), fact("Certificate id", h("code", {}, certificateId))),
		h("div", { class: "row" }, copyButton(certificateId), h("a", { class: "button", href: `${apiURL}/api/certificate/credential/${encodeURIComponent(certificateId)}`, target: "_blank", rel: "noopener", type: "application/vc+jwt" }, "Open Badges credential")));
}

/** @param {string} at */
const dated = (at) => h("time", { dateTime: at }, day(at));

/** @param {string} name @param {string | Node} value */
const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

/** Copies the link of this page. Browsers offer the clipboard to secure pages only. @param {string} certificateId */
const copyButton = (certificateId) => navigator.clipboard && actionButton("Copy the link", async () => {
	await navigator.clipboard.writeText(`${location.origin}/certificates/${certificateId}`);
	toast("The link is copied");
}, { kind: "primary" });
