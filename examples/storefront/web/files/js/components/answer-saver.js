// Saves the answers of an attempt at a quiz as they are given. What is not saved yet is kept in this tab, and
// tried again until the server has it.
import { ApiError, call } from "../api.js";
import { session } from "../session.js";

/** @typedef {import("./quiz-question.js").Given} Given */
/** saving: on the way; waiting: it failed, and is tried again; refused: it failed for good; ended: the server takes no more answers; error is why. @typedef {"saved" | "saving" | "waiting" | "refused" | "ended"} State */

/** Milliseconds without a key after which a text is saved, and after which it is saved while it is typed; the first and the longest pause after a failure. */
const typing = 700, mostTyping = 3000, pause = 2000, longest = 15_000;

export class AnswerSaver {
	/**
	 * @param {string} attemptId
	 * @param {{signal: AbortSignal, watch: (state: State, error?: unknown) => void}} options watch is called after each change of the state; signal is aborted when the page is left, which sends what is not saved
	 */
	constructor(attemptId, { signal, watch }) {
		this.attemptId = attemptId;
		this.watch = watch;
		this.signal = signal;
		this.key = `storefront.answers.${session.writer()}.${attemptId}`;
		/** What the server has not confirmed. @type {Record<string, Given>} */
		this.pending = JSON.parse(sessionStorage.getItem(this.key) || "{}");
		this.timer = 0;
		/** When the oldest answer that is not sent was given; 0 if all are sent. */
		this.since = 0;
		this.failures = 0;
		this.isSending = false;
		this.hasEnded = false;
		const now = () => this.soon(0);
		addEventListener("online", now, { signal });
		addEventListener("pagehide", () => this.leave(), { signal });
		signal.addEventListener("abort", () => this.leave());
		if (this.hasPending()) now();
	}

	hasPending() { return Object.keys(this.pending).length > 0; }

	/** @param {string} questionId @param {Given} given @param {boolean} isTyped more of it may follow */
	put(questionId, given, isTyped) {
		if (this.hasEnded) return;
		this.pending[questionId] = given;
		this.keep();
		this.since ||= Date.now();
		this.soon(isTyped ? Math.max(0, Math.min(typing, this.since + mostTyping - Date.now())) : 0);
	}

	keep() {
		if (this.hasPending()) sessionStorage.setItem(this.key, JSON.stringify(this.pending));
		else sessionStorage.removeItem(this.key);
	}

	/** @param {number} wait in milliseconds */
	soon(wait) {
		if (this.hasEnded || this.signal.aborted || !this.hasPending()) return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.send(), wait);
		if (this.failures === 0) this.watch("saving");
	}

	/** Sends all that is not saved; one request at a time. */
	async send() {
		if (this.isSending || this.hasEnded || !this.hasPending()) return;
		this.isSending = true;
		this.since = 0;
		const answers = { ...this.pending };
		try {
			await call("PUT /api/quiz/attempts/{attemptId}", { path: { attemptId: this.attemptId }, body: { answers } });
			for (const [id, given] of Object.entries(answers)) if (this.pending[id] === given) delete this.pending[id];
			this.failures = 0;
			this.keep();
			if (!this.hasPending()) this.watch("saved");
		} catch (error) {
			this.failed(error);
		} finally {
			this.isSending = false;
		}
		if (this.failures === 0 && this.hasPending()) this.soon(0); // changed meanwhile
	}

	/** Tries again later, unless the server takes no answers any more. @param {unknown} error */
	failed(error) {
		if (this.hasEnded || this.signal.aborted) return; // it goes with the submission, or was sent by leave
		this.failures++;
		const { status, retryAfter } = error instanceof ApiError ? error : { status: -1, retryAfter: 0 };
		if (status === 409) {
			this.end();
			this.watch("ended", error);
			return;
		}
		const mayPass = status === 0 || status === 429 || status >= 500;
		this.watch(mayPass ? "waiting" : "refused", error);
		if (mayPass) this.timer = setTimeout(() => this.send(), Math.max(1000 * retryAfter, Math.min(longest, pause * 2 ** (this.failures - 1))));
	}

	/** Sends what is not saved once, also while the page is closed. If it fails, the answers are in this tab until the quiz is opened again. */
	leave() {
		clearTimeout(this.timer);
		if (this.hasEnded || !this.hasPending()) return;
		const kept = JSON.stringify(this.pending);
		call("PUT /api/quiz/attempts/{attemptId}", { path: { attemptId: this.attemptId }, body: { answers: this.pending }, keepalive: true })
			.then(() => { if (sessionStorage.getItem(this.key) === kept) sessionStorage.removeItem(this.key); }).catch(() => {});
	}

	/** Ends the saving: what is pending goes with the submission, or is too late. */
	end() {
		clearTimeout(this.timer);
		this.hasEnded = true;
	}

	/** Saves again after a submission that failed. */
	goOn() {
		this.hasEnded = false;
		this.soon(0);
	}

	forget() {
		this.end();
		sessionStorage.removeItem(this.key);
	}
}
