// Long work that goes on while the reader is on other pages. Its result is kept in this tab.
import { session } from "../session.js";
import { toast } from "./toast.js";

/**
 * Work of one kind. result is that of the last work that succeeded, input what it was asked for.
 * @template T
 */
export class Job {
	/** @param {string} name @param {string} ready the toast when the work is ready and its page is not shown */
	constructor(name, ready) {
		this.name = name;
		this.ready = ready;
		/** @type {T | null} */
		this.result = null;
		/** @type {unknown} */
		this.error = null;
		this.input = "";
		this.started = 0; // 0 if nothing is being worked on
		/** @type {(() => void) | null} */
		this.watch = null;
		this.owner = "";
	}

	key() { return `storefront.job.${this.owner}.${this.name}`; }

	/** Reads what was kept for the reader who is signed in now. */
	open() {
		const owner = session.writer();
		if (owner === this.owner) return;
		Object.assign(this, { owner, result: null, error: null, started: 0, input: "" });
		try {
			Object.assign(this, JSON.parse(sessionStorage.getItem(this.key()) || "{}"));
		} catch { /* it is written anew */ }
	}

	/**
	 * Runs work, one at a time.
	 * @param {string} input @param {() => Promise<T>} work
	 */
	async run(input, work) {
		if (this.started > 0) return;
		const { owner } = this;
		const started = (this.started = Date.now());
		this.error = null;
		this.watch?.();
		try {
			const result = await work();
			if (owner !== this.owner) return;
			Object.assign(this, { result, input });
			sessionStorage.setItem(this.key(), JSON.stringify({ result, input }));
			if (!this.watch) toast(this.ready);
		} catch (error) {
			if (owner === this.owner) this.error = error;
		} finally {
			if (this.started === started) this.started = 0;
			this.watch?.();
		}
	}
}
