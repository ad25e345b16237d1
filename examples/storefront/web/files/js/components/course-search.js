// A search of the catalogue by the server, which finds the beginnings of words whatever their accents,
// and answers in pages.
import { call } from "../api.js";
import { readOn } from "./read-on.js";

/** @typedef {import("../api.js").Course} Course */

const searchPause = 300; // milliseconds without a key after which the server is asked

/** The server's orders by those of the catalogue. It has none by length. @type {Record<string, "popular" | "rating" | "newest" | "price">} */
const serverOrders = { popular: "popular", rating: "rating", newest: "newest", cheapest: "price" };

/** The courses that the server has found so far for the words in the query. */
export class CourseSearch {
	/**
	 * @param {URLSearchParams} query @param {AbortSignal} signal
	 * @param {() => void} draw is called when an answer has arrived, or when none will
	 */
	constructor(query, signal, draw) {
		this.query = query;
		this.signal = signal;
		this.draw = draw;
		/** @type {Course[]} */
		this.courses = [];
		/** @type {string | null} */
		this.cursor = null;
		this.isPending = false;
		/** Why no answer has arrived, or null. @type {unknown} */
		this.problem = null;
		/** How often the reader has changed the search: an answer to an earlier one comes too late. */
		this.turn = 0;
	}

	words() { return (this.query.get("q") ?? "").trim(); }

	/** The order that the server is asked for, or undefined if it does not have what the reader has chosen. */
	order() {
		const chosen = this.query.get("sort") || "popular";
		return Object.hasOwn(serverOrders, chosen) ? serverOrders[chosen] : undefined;
	}

	/** @param {string} [cursor] @returns {Promise<{rows: Course[], nextCursor?: string | null}>} */
	async page(cursor) {
		const query = { q: this.words(), sort: this.order() ?? "popular", limit: 100, cursor };
		const { courses: rows, nextCursor } = await call("GET /api/course/all", { query, signal: this.signal, anonymous: true });
		return { rows, nextCursor };
	}

	/** Starts a search after a pause, or stops searching if there are no words. @param {number} [wait] @param {number} [wanted] as in read */
	start(wait = searchPause, wanted = 1) {
		const mine = ++this.turn;
		this.isPending = this.words() !== "";
		this.problem = null;
		if (this.isPending) setTimeout(() => mine === this.turn && !this.signal.aborted && this.read(undefined, wanted), wait);
	}

	/** Reads on: without a cursor from the beginning. @param {string} [cursor] @param {number} [wanted] how many courses, if there are as many */
	async read(cursor, wanted) {
		const mine = this.turn;
		try {
			const { rows, nextCursor } = await readOn((from) => this.page(from), cursor, wanted);
			if (mine !== this.turn) return;
			this.courses = cursor === undefined ? rows : [...this.courses, ...rows];
			this.cursor = nextCursor;
			this.isPending = false;
			this.draw();
		} catch (error) {
			if (mine !== this.turn || this.signal.aborted) return;
			if (cursor !== undefined) throw error;
			this.isPending = false;
			this.problem = error;
			this.draw();
		}
	}
}
