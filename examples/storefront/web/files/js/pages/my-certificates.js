// The certificates of the student: those issued, those earned, and what is left to do for the others.
import { h, load } from "../dom.js";
import { call, request } from "../api.js";
import { day } from "../format.js";
import { actionButton } from "../components/button.js";
import { learningHead, toCatalogue } from "../components/learning-head.js";
import { missingList } from "../components/missing.js";
import { saveFile } from "../components/save-file.js";
import { empty } from "../components/states.js";
import { toast } from "../components/toast.js";
import { pathTo } from "../paths.js";

/** @typedef {import("../types").Answer<"GET /api/user/enrolled-courses">["enrolledCourses"][number]} Course */
/** @typedef {import("../types").Answer<"GET /api/user/certificates">["certificates"][number]} Certificate */

export const title = "My certificates";

export const page = () => [
	...learningHead("My certificates", "Complete every lecture of a course to earn its certificate. Some courses ask for their quizzes and assignments too."),
	load(read, show),
];

async function read() {
	const [{ certificates }, { enrolledCourses }] = await Promise.all([call("GET /api/user/certificates"), call("GET /api/user/enrolled-courses")]);
	const others = enrolledCourses.filter((course) => !certificates.some((held) => held.courseId === course._id));
	const [held, checks] = await Promise.all([Promise.all(certificates.map(withPDF)), Promise.all(others.map(check))]);
	return { held, earned: others.filter((_, i) => checks[i].eligible), open: others.flatMap((course, i) => (checks[i].eligible ? [] : [{ course, missing: checks[i].missing }])) };
}

/** A PDF that is not stored is made when it is asked for. @param {Certificate} held */
async function withPDF(held) {
	if (held.isRevoked || held.pdfUrl) return held;
	return { ...held, pdfUrl: (await call("GET /api/user/certificate/{courseId}", { path: { courseId: held.courseId } })).pdfUrl };
}

/** @param {Course} course */
const check = (course) => call("GET /api/user/certificate/check/{courseId}", { path: { courseId: course._id } });

/** @param {Awaited<ReturnType<typeof read>>} found @param {() => void} reload */
function show({ held, earned, open }, reload) {
	if (held.length + earned.length + open.length === 0) return empty("No certificates yet", "Enrol in a course and complete its lectures.", toCatalogue());
	return [held.length + earned.length > 0 && h("section", { class: "stack" }, h("h2", {}, "Earned"), earned.map((course) => card(course.title, ready(course, reload))),
		held.map((one) => card(one.courseTitle, one.isRevoked ? revoked(one) : issued(one)))),
	open.length > 0 && h("section", { class: "stack" }, h("h2", {}, "To be earned"), h("ul", { class: "card list" }, open.map(unearned)))];
}

/** @param {{course: Course, missing: import("../components/missing.js").Missing[]}} open */
const unearned = ({ course, missing }) => h("li", { class: "row spread" },
	h("div", { class: "attempt stack tight" }, h("h3", {}, h("bdi", {}, course.title)), missingList(course._id, missing)),
	h("a", { class: "button", href: pathTo.learn(course._id), "aria-label": `Continue: ${course.title}` }, "Continue"));

/** @param {string} course @param {import("../dom.js").Child | import("../dom.js").Child[]} content */
const card = (course, content) => h("article", { class: "card pad stack certificate-card" },
	h("div", {}, h("p", { class: "muted small" }, "Certificate of completion"), h("h3", {}, h("bdi", {}, course))), content);

/** @param {Course} course @param {() => void} reload */
const ready = (course, reload) => [
	h("p", {}, "You have done what this course asks. Your name is printed as it is now."),
	h("div", {}, actionButton("Get your certificate", async () => {
		await call("POST /api/user/certificate/generate/{courseId}", { path: { courseId: course._id } });
		toast("Your certificate is ready.");
		reload();
	}, { kind: "primary", name: `Get your certificate: ${course.title}` })),
];

/** @param {string} at */
const issuedOn = (at) => h("span", {}, "Issued on ", h("time", { dateTime: at }, day(at)));

/** @param {Certificate} held */
const revoked = ({ issuedAt }) => [h("p", { class: "small muted" }, issuedOn(issuedAt)), h("p", { class: "notice bad" }, "This certificate was revoked. Ask the school why.")];

/** @param {Certificate} held */
const issued = ({ certificateId, courseTitle, issuedAt, pdfUrl, credentialUrl }) => [
	h("p", { class: "small muted" }, issuedOn(issuedAt), " · Certificate id ", h("code", {}, certificateId)),
	h("div", { class: "row" },
		pdfUrl && h("a", { class: "button primary", href: pdfUrl, target: "_blank", rel: "noopener", "aria-label": `Open the PDF: ${courseTitle} (new tab)` }, "Open the PDF"),
		actionButton("Copy the link", () => copy(`${location.origin}/certificates/${certificateId}`), { name: `Copy the link to share: ${courseTitle}` }),
		h("a", { class: "button", href: `/certificates/${certificateId}`, "aria-label": `Verify: ${courseTitle}` }, "Verify"),
		credentialUrl && actionButton("Open Badges credential", () => saveCredential(certificateId), { kind: "quiet", name: `Download the Open Badges credential: ${courseTitle}` }))];

/** A browser denies the clipboard on pages without HTTPS; the link is shown then. @param {string} url */
async function copy(url) {
	try {
		await navigator.clipboard.writeText(url);
		toast("The link is copied. Everyone who opens it can verify your certificate.");
	} catch {
		toast(`Copy this link: ${url}`);
	}
}

/** Saves the certificate as a signed credential for badge wallets. @param {string} certificateId */
async function saveCredential(certificateId) {
	const answer = await request("GET", `/api/certificate/credential/${certificateId}`, { accept: "application/vc+jwt" });
	await saveFile(answer, `${certificateId}.jwt`);
	toast("The Open Badges credential is saved. Add the file to your wallet for badges.");
}
