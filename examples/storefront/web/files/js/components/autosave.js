// Saves a form as it is filled in, and again until the server has it.
import { ApiError } from "../api.js";
import { explain } from "./states.js";

/** Milliseconds without a change after which it is saved, and the first and the longest pause after a failure. */
const quietTime = 1200, pause = 2000, longest = 20_000;

/**
 * @param {() => Promise<any>} send sends what the form holds now
 * @param {{signal: AbortSignal, say: (text: string, isProblem: boolean) => void}} options say shows how it is going; signal is aborted when the page is left
 */
export function autosave(send, { signal, say }) {
	let timer = 0, failures = 0, changes = 0, saved = 0;
	/** @type {Promise<void> | null} */
	let running = null;
	const save = async () => {
		const mine = changes;
		try {
			await send();
			saved = mine;
			failures = 0;
			if (saved === changes) say("The draft is saved.", false);
		} catch (error) {
			failures++;
			const { status } = error instanceof ApiError ? error : { status: -1 }, mayPass = status === 0 || status === 429 || status >= 500;
			say(`The draft is not saved${mayPass ? " yet, and is sent again by itself" : ""}. ${explain(error)}`, true);
			if (mayPass && !signal.aborted) timer = setTimeout(run, Math.min(longest, pause * 2 ** (failures - 1)));
			throw error;
		}
	};
	const run = () => {
		clearTimeout(timer);
		running ??= save().finally(() => { running = null; if (failures === 0 && saved < changes) run(); });
		running.catch(() => {});
		return running;
	};
	const leave = () => { if (saved < changes) run(); };
	signal.addEventListener("abort", leave);
	addEventListener("online", leave, { signal });
	addEventListener("pagehide", leave, { signal });
	return {
		changed() {
			changes++;
			clearTimeout(timer);
			timer = setTimeout(run, quietTime);
			if (failures === 0) say("Saving…", false);
		},
		/** Resolves when everything is saved. */
		async flush() { while (saved < changes) await run(); },
	};
}
