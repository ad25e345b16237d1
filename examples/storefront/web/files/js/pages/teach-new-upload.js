// The upload of a new course. XMLHttpRequest is used because fetch does not tell how much has been
// sent. The upload goes on while the reader is on other pages.
import { ApiError, apiURL } from "../api.js";
import { session } from "../session.js";
import { courseData } from "./teach-new-draft.js";

/**
 * picture is the file that is sent with it; sent is from 0 to 1; finished is the course's id, or the error.
 * @typedef {{picture: File, sent: number, finished: Promise<string>, cancel: () => void, watch: (watch: () => void) => void}} Upload
 */

/** @type {Upload | null} */
let current = null;

/** The upload that is under way. */
export const currentUpload = () => current;

/**
 * Sends a course, or returns the upload that is under way, so that a course is published once.
 * @param {import("./teach-new-draft.js").Draft} draft @param {File} picture
 * @returns {Upload}
 */
export function startUpload(draft, picture) {
	if (current) return current;
	const form = new FormData();
	form.append("courseData", new Blob([JSON.stringify(courseData(draft))], { type: "application/json" }));
	form.append("image", picture);
	current = send(form, picture);
	addEventListener("beforeunload", warn);
	current.finished.catch(() => {}).finally(() => { current = null; removeEventListener("beforeunload", warn); });
	return current;
}

/** @param {Event} event */
const warn = (event) => event.preventDefault();

/** @param {FormData} form @param {File} picture @returns {Upload} */
function send(form, picture) {
	const xhr = new XMLHttpRequest();
	/** @type {Set<() => void>} */
	const watchers = new Set();
	/** @type {Upload} */
	const upload = { picture, sent: 0, finished: answer(xhr, () => upload.sent === 1), cancel: () => xhr.abort(), watch: (/** @type {() => void} */ watch) => { watchers.add(watch); } };
	const tell = (/** @type {number} */ sent) => { upload.sent = sent; watchers.forEach((watch) => watch()); };
	xhr.upload.onprogress = (event) => tell(Math.min(0.99, event.loaded / event.total));
	xhr.upload.onload = () => tell(1);
	xhr.open("POST", `${apiURL}/api/educator/add-course`);
	xhr.setRequestHeader("Authorization", `Bearer ${session.token()}`);
	xhr.setRequestHeader("Accept", "application/json");
	xhr.send(form);
	return upload;
}

/** The id of the course, or why there is none. @param {XMLHttpRequest} xhr @param {() => boolean} allSent @returns {Promise<string>} */
function answer(xhr, allSent) {
	return new Promise((resolve, reject) => {
		xhr.onabort = () => reject(new ApiError(0, "Cancelled. Nothing was published, and what you have typed is still here."));
		xhr.onerror = () => reject(new ApiError(0, allSent()
			? "The connection broke before the server answered. Look at your courses first: the course may be there already. What you have typed is still here."
			: "The connection broke. What you have typed is still here; try again in a moment."));
		xhr.onload = () => {
			const body = parse(xhr.responseText);
			if (xhr.status === 200) { resolve(body.courseId); return; }
			if (xhr.status === 401) session.expire();
			reject(new ApiError(xhr.status, body.message || "The server could not answer. Try again in a moment."));
		};
	});
}

/** @param {string} text @returns {any} */
function parse(text) {
	try {
		return JSON.parse(text);
	} catch {
		return {};
	}
}
