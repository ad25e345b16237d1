// The time that is left, by the server's clock: the clock of this device may be wrong. The time of the
// server that serves these pages stands in each of its answers.
import { h } from "../dom.js";
import { clock, count } from "../format.js";

/** Milliseconds by which the server's clock is ahead of this device's; 0 if the server does not tell. */
async function aheadOf() {
	try {
		const sent = Date.now(), { headers } = await fetch("/icon.svg", { method: "HEAD", cache: "no-store" });
		const told = Date.parse(headers.get("Date") ?? "");
		return Number.isNaN(told) ? 0 : told + 500 - (sent + Date.now()) / 2; // the header has whole seconds
	} catch {
		return 0;
	}
}

/** Seconds left at which a screen reader says so. */
const spokenAt = [300, 60, 10];

/**
 * @param {string} endsAt
 * @param {{signal: AbortSignal, atEnd: () => void}} options atEnd is called once; signal ends the count
 */
export function countdown(endsAt, { signal, atEnd }) {
	const shown = h("strong", { class: "number" }), spoken = h("span", { class: "visually-hidden", role: "status" });
	const element = h("p", { class: "countdown", role: "timer" }, h("span", { class: "muted small" }, "Time left "), shown, spoken);
	let ahead = 0, before = Infinity;
	const tick = () => {
		const left = Math.max(0, Math.ceil((Date.parse(endsAt) - Date.now() - ahead) / 1000));
		shown.textContent = clock(left);
		element.classList.toggle("late-time", left <= 60);
		const passed = spokenAt.find((seconds) => left <= seconds && before > seconds && left > 0);
		if (passed) spoken.textContent = left > 60 ? `${count(Math.ceil(left / 60), "minute")} left.` : `${count(left, "second")} left.`;
		before = left;
		if (left > 0 || signal.aborted) return;
		clearInterval(timer);
		atEnd();
	};
	const timer = setInterval(tick, 250);
	signal.addEventListener("abort", () => clearInterval(timer));
	document.addEventListener("visibilitychange", tick, { signal }); // a hidden page counts rarely
	aheadOf().then((milliseconds) => { ahead = milliseconds; if (!signal.aborted) tick(); });
	shown.textContent = "…";
	return element;
}
