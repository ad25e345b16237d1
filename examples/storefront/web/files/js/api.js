// The client of the API. Every answer has success; a failure becomes an ApiError whose message can
// be shown as it is.
import { session } from "./session.js";

const root = document.documentElement.dataset;
/** Base URL of the API. */
export const apiURL = root.api || "";
/** Base URL of the sandbox, if it signs users in; "" if the server has an identity provider of its own. */
export const signInURL = root.signIn || "";

/** A request that was refused or did not arrive. status is 0 if there was no answer. */
export class ApiError extends Error {
	/** @param {number} status @param {string} message @param {number} [retryAfter] seconds */
	constructor(status, message, retryAfter = 0) {
		super(message);
		this.name = "ApiError";
		this.status = status;
		this.retryAfter = retryAfter;
	}
}

/**
 * Sends a request and returns the answer.
 * @param {string} method
 * @param {string} path from /api on
 * @param {{body?: any, form?: FormData, signal?: AbortSignal, accept?: string, anonymous?: boolean, keepalive?: boolean}} [options]
 *   keepalive sends the request also when the page is closed
 * @returns {Promise<Response>}
 */
export async function request(method, path, { body, form, signal, accept = "application/json", anonymous = false, keepalive = false } = {}) {
	/** @type {Record<string, string>} */
	const headers = { Accept: accept };
	const token = anonymous ? "" : session.token();
	if (token) headers.Authorization = `Bearer ${token}`;
	if (body !== undefined) headers["Content-Type"] = "application/json";
	let response;
	try {
		response = await fetch(apiURL + path, { method, headers, signal, keepalive, body: form ?? (body === undefined ? undefined : JSON.stringify(body)) });
	} catch (error) {
		if (signal?.aborted) throw error;
		throw new ApiError(0, navigator.onLine ? "The server does not answer. Try again in a moment." : "You are offline. Try again when the connection is back.");
	}
	if (response.ok) return response;
	const answer = await response.json().catch(() => ({}));
	const error = new ApiError(response.status, answer.message || "The server could not answer. Try again in a moment.", Number(response.headers.get("Retry-After")) || 0);
	if (error.status === 401) session.expire();
	throw error;
}

/**
 * Calls an operation of the API, such as "GET /api/course/{id}", and returns the JSON of its
 * answer. An answer with success false and status 200 (a user record that has not arrived yet) is
 * a failure too.
 * @template {import("./types").Operation} K
 * @param {K} operation
 * @param {import("./types").Options<K>} [options]
 * @returns {Promise<import("./types").Answer<K>>}
 */
export async function call(operation, options = /** @type {any} */ ({})) {
	const { path = {}, query = {}, ...rest } = /** @type {any} */ (options);
	const [method, template] = operation.split(" ");
	const address = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]));
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
	const search = given.length ? "?" + new URLSearchParams(/** @type {any} */ (given)) : "";
	const answer = await (await request(method, address + search, rest)).json();
	if (answer.success === false && !("valid" in answer)) throw new ApiError(404, answer.message);
	return answer;
}

/** @typedef {import("./types").Answer<"GET /api/course/all">["courses"][number]} Course */
/** @type {Promise<Course[]> | null} */
let courses = null;

/**
 * The catalogue, read once, and again after forgetCourses. It is the same for everyone, so that it is read
 * without a token, as index.html has asked for it already.
 */
export function allCourses() {
	courses ??= call("GET /api/course/all", { anonymous: true }).then((answer) => answer.courses);
	courses.catch(forgetCourses);
	return courses;
}

export function forgetCourses() { courses = null; }

/**
 * Calls the sandbox that signs users in.
 * @param {string} path @param {any} [body]
 * @returns {Promise<any>}
 */
export async function sandbox(path, body) {
	const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
	const response = await fetch(signInURL + path, options).catch(() => { throw new ApiError(0, "The sandbox does not answer. Is the server running?"); });
	const answer = await response.json().catch(() => ({}));
	if (!response.ok) throw new ApiError(response.status, answer.error?.message || answer.message || answer.error || "The sandbox refused the request.");
	return answer;
}
