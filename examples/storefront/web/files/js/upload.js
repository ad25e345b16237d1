// Uploads of files. XMLHttpRequest is used because fetch does not tell how much has been sent.
import { ApiError, apiURL } from "./api.js";
import { session } from "./session.js";

/** @typedef {import("./types").Answer<"POST /api/educator/files">["file"]} StoredFile */

/** @param {Event} event */
const warn = (event) => event.preventDefault();
/** How many uploads are under way: while there are some, the browser asks before it leaves the site. */
let running = 0;

/**
 * Sends a file of an educator. progress is called with the part that has been sent, from 0 to 1.
 * @param {File} file @param {(sent: number) => void} progress @param {AbortSignal} signal
 * @returns {Promise<StoredFile>}
 */
export async function uploadFile(file, progress, signal) {
	if (running++ === 0) addEventListener("beforeunload", warn);
	try {
		const form = new FormData();
		form.append("file", file);
		const { status, body } = await send("POST", "/api/educator/files", form, progress, signal);
		if (status === 200) return body.file;
		if (status === 401) session.expire();
		throw new ApiError(status, body.message || "The server could not store the file. Try again in a moment.");
	} finally {
		if (--running === 0) removeEventListener("beforeunload", warn);
	}
}

/** @param {string} method @param {string} path @param {FormData} content @param {(sent: number) => void} progress @param {AbortSignal} signal @returns {Promise<{status: number, body: any}>} */
function send(method, path, content, progress, signal) {
	return new Promise((resolve, reject) => {
		const xhr = new XMLHttpRequest();
		xhr.upload.onprogress = (event) => progress(event.loaded / event.total);
		xhr.onload = () => resolve({ status: xhr.status, body: parse(xhr.responseText) });
		xhr.onerror = () => reject(new ApiError(0, "The connection broke. Choose the file again when it is back."));
		xhr.onabort = () => reject(new DOMException("", "AbortError"));
		signal.addEventListener("abort", () => xhr.abort(), { once: true });
		xhr.open(method, apiURL + path);
		xhr.setRequestHeader("Authorization", `Bearer ${session.token()}`);
		xhr.setRequestHeader("Accept", "application/json");
		xhr.send(content);
	});
}

/** @param {string} text */
function parse(text) {
	try {
		return JSON.parse(text);
	} catch {
		return {};
	}
}
