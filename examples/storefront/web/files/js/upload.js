// Uploads of files by the protocol tus (tus.io): a broken connection is waited for, each question that
// has no answer is asked again, and the same file that is chosen again, such as after a reload, goes on
// where it stopped.
// XMLHttpRequest is used because fetch does not tell how much has been sent.
import { ApiError, apiURL, call, request } from "./api.js";
import { session } from "./session.js";

/** @typedef {import("./types").Answer<"POST /api/educator/files">["file"]} StoredFile */

const path = "/api/educator/uploads";
/** How often a request fails before the upload is given up, and the first pause, in milliseconds, which doubles. */
const mostFailures = 6, pause = 500;

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
	if (file.size === 0) throw new ApiError(400, "This file is empty. Choose another.");
	const key = `storefront.upload.${session.writer()}.${file.name}.${file.size}.${file.lastModified}`;
	if (running++ === 0) addEventListener("beforeunload", warn);
	try {
		let uploadId = localStorage.getItem(key) ?? "";
		let offset = uploadId && (await again(() => offsetOf(uploadId, signal), signal).catch(ifGone));
		if (!uploadId || offset === null) {
			uploadId = await again(() => create(file, signal), signal);
			localStorage.setItem(key, uploadId);
			offset = 0;
		}
		await sendRest(uploadId, file, Number(offset), progress, signal);
		// The upload is forgotten after this answer: without it the file, chosen again, would be sent again.
		const { upload } = await again(() => call("GET /api/educator/uploads/{uploadId}", { path: { uploadId }, signal }), signal);
		localStorage.removeItem(key);
		if (!upload.file) throw new ApiError(404, "The file was removed while it was sent. Choose it again.");
		return upload.file;
	} catch (error) {
		if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401) localStorage.removeItem(key);
		throw error;
	} finally {
		if (--running === 0) removeEventListener("beforeunload", warn);
	}
}

/** @typedef {import("./types").Answer<"POST /api/educator/packages">} Imported */

/**
 * Sends the package of a course, from which the server makes a draft.
 * @param {File} file @param {(sent: number) => void} progress as of uploadFile @param {AbortSignal} signal
 * @returns {Promise<Imported>}
 */
export async function uploadPackage(file, progress, signal) {
	const form = new FormData();
	form.append("file", file);
	const xhr = await send("POST", "/api/educator/packages", {}, form, (bytes) => progress(Math.min(1, bytes / file.size)), signal);
	return JSON.parse(xhr.responseText);
}

/**
 * Sends a file of a student, for an assignment.
 * @param {File} file @param {(sent: number) => void} progress as of uploadFile @param {AbortSignal} signal
 * @returns {Promise<StoredFile>}
 */
export async function uploadOwnFile(file, progress, signal) {
	if (file.size === 0) throw new ApiError(400, "This file is empty. Choose another.");
	const form = new FormData();
	form.append("file", file);
	const xhr = await send("POST", "/api/user/files", {}, form, (bytes) => progress(Math.min(1, bytes / file.size)), signal);
	return JSON.parse(xhr.responseText).file;
}

/** Begins an upload and returns its id. @param {File} file @param {AbortSignal} signal */
async function create(file, signal) {
	const name = btoa(String.fromCharCode(...new TextEncoder().encode(file.name)));
	const xhr = await send("POST", path, { "Upload-Length": String(file.size), "Upload-Metadata": `filename ${name}` }, null, () => {}, signal);
	return xhr.getResponseHeader("Location")?.split("/").at(-1) ?? "";
}

/** Sends a file from an offset on, and again from where the server has it if the connection breaks. @param {string} uploadId @param {File} file @param {number} offset @param {(sent: number) => void} progress @param {AbortSignal} signal */
async function sendRest(uploadId, file, offset, progress, signal) {
	for (let failures = 0; offset < file.size;) {
		try {
			const from = offset;
			const xhr = await send("PATCH", `${path}/${uploadId}`, { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(from) }, file.slice(from), (bytes) => progress((from + bytes) / file.size), signal);
			offset = Number(xhr.getResponseHeader("Upload-Offset"));
		} catch (error) {
			if (!isTransient(error) || ++failures >= mostFailures) throw error;
			await wait(pause * 2 ** failures, signal);
			const now = await offsetOf(uploadId, signal).catch((reason) => { if (!isTransient(reason)) throw reason; return offset; });
			if (now > offset) failures = 0;
			offset = now;
		}
	}
}

/** Asks, and again if there is no answer, until there is one or it has failed too often. @template T @param {() => Promise<T>} ask @param {AbortSignal} signal @returns {Promise<T>} */
async function again(ask, signal) {
	for (let failures = 1; ; failures++) {
		try {
			return await ask();
		} catch (error) {
			if (!isTransient(error) || failures >= mostFailures) throw error;
			await wait(pause * 2 ** failures, signal);
		}
	}
}

/** Returns null if an upload is not there any more. @param {unknown} error @returns {null} */
function ifGone(error) {
	if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 429) return null;
	throw error;
}

/** Whether a request may succeed later: there was no answer, the server is busy, or it has more or less of the file than this page knows. @param {unknown} error */
const isTransient = (error) => error instanceof ApiError && (error.status === 0 || error.status === 409 || error.status >= 500);

/** Waits for a time, or until the connection is back if that is later. @param {number} milliseconds @param {AbortSignal} signal @returns {Promise<void>} */
const wait = (milliseconds, signal) => new Promise((resolve, reject) => {
	const end = () => (navigator.onLine ? resolve() : addEventListener("online", () => resolve(), { once: true, signal }));
	setTimeout(end, milliseconds);
	signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")), { once: true });
});

/** How many bytes the server has. @param {string} uploadId @param {AbortSignal} signal */
const offsetOf = async (uploadId, signal) => Number((await request("HEAD", `${path}/${uploadId}`, { signal })).headers.get("Upload-Offset"));

/** @param {string} method @param {string} path @param {Record<string, string>} headers @param {Blob | FormData | null} content @param {(bytes: number) => void} progress @param {AbortSignal} signal @returns {Promise<XMLHttpRequest>} */
function send(method, path, headers, content, progress, signal) {
	return new Promise((resolve, reject) => {
		const xhr = new XMLHttpRequest();
		xhr.upload.onprogress = (event) => progress(event.loaded);
		xhr.onload = () => {
			if (xhr.status >= 200 && xhr.status < 300) { resolve(xhr); return; }
			if (xhr.status === 401) session.expire();
			reject(new ApiError(xhr.status, messageOf(xhr.responseText), Number(xhr.getResponseHeader("Retry-After")) || 0));
		};
		xhr.onerror = () => reject(new ApiError(0, "The connection broke. Choose the file again when it is back."));
		xhr.onabort = () => reject(new DOMException("", "AbortError"));
		signal.addEventListener("abort", () => xhr.abort(), { once: true });
		xhr.open(method, apiURL + path);
		for (const [name, value] of Object.entries({ ...headers, Accept: "application/json", Authorization: `Bearer ${session.token()}`, "Tus-Resumable": "1.0.0" })) xhr.setRequestHeader(name, value);
		xhr.send(content);
	});
}

/** @param {string} body of a refusal */
function messageOf(body) {
	try {
		return JSON.parse(body).message;
	} catch {
		return "The server could not store the file. Try again in a moment.";
	}
}
