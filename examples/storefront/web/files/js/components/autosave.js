// Saves a form as it is filled in, and again until the server has it.
import { ApiError } from "../api.js";
import { explain } from "./states.js";

/** Milliseconds without a change after which it is saved, and after which it is saved while it changes; the first and the longest pause after a failure. */
const quietTime = 1200, mostTime = 10_000, pause = 2000, longest = 20_000;

/**
 * @param {(isLeaving: boolean) => Promise<any>} send sends what the form holds now; isLeaving: the page may be closed meanwhile
 * @param {{signal: AbortSignal, say: (text: string, isProblem: boolean) => void}} options say shows how it is going; signal is aborted when the page is left
 */
export function autosave(send, { signal, say }) {
	let timer = 0, failures = 0, changes = 0, saved = 0, since = 0;
	/** @type {Promise<void> | null} */
	let running = null;
	const save = async (/** @type {boolean} */ isLeaving) => {
		const mine = changes;
		since = 0;
		try {
			await send(isLeaving);
			saved = mine;
			failures = 0;
			if (saved === changes) say("The draft is saved. It is not submitted yet.", false);
		} catch (error) {
			failures++;
			const { status } = error instanceof ApiError ? error : { status: -1 }, mayPass = status === 0 || status === 429 || status >= 500;
			say(`The draft is not saved${mayPass ? " yet, and is sent again by itself" : ""}. ${explain(error)}`, true);
			if (mayPass && !signal.aborted) timer = setTimeout(run, Math.min(longest, pause * 2 ** (failures - 1)));
			throw error;
		}
	};
	const run = (isLeaving = false) => {
		clearTimeout(timer);
		running ??= save(isLeaving).finally(() => { running = null; if (failures === 0 && saved < changes) run(); });
		running.catch(() => {});
		return running;
	};
	const runIfChanged = (isLeaving = false) => { if (saved < changes) run(isLeaving); };
	signal.addEventListener("abort", () => runIfChanged());
	addEventListener("online", () => runIfChanged(), { signal });
	addEventListener("pagehide", () => runIfChanged(true), { signal });
	return {
		changed() {
			changes++;
			clearTimeout(timer);
			since ||= Date.now();
			timer = setTimeout(run, Math.max(0, Math.min(quietTime, since + mostTime - Date.now())));
			if (failures === 0) say("Saving…", false);
		},
		/** Resolves when everything is saved. */
		async flush() { while (saved < changes) await run(); },
	};
}
