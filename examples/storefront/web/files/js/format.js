// Numbers, money and times as this browser's language writes them.

const language = navigator.language || "en";
const currency = document.documentElement.dataset.currency || "INR";

/** Makes a format when it is first used, because making it takes time. @template T @param {() => T} make */
function lazy(make) {
	/** @type {T | undefined} */
	let made;
	return () => (made ??= make());
}

const whole = lazy(() => new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 0 }));
const exact = lazy(() => new Intl.NumberFormat(language, { style: "currency", currency, minimumFractionDigits: 2 }));
const plainNumber = lazy(() => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }));
const dayFormat = lazy(() => new Intl.DateTimeFormat(language, { dateStyle: "medium" }));
const timeFormat = lazy(() => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }));
const weekdayFormat = lazy(() => new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }));
const relative = lazy(() => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));

/** @param {number} amount in major units; 0 is "Free" */
export const price = (amount) => (amount === 0 ? "Free" : money(amount));
/** @param {number} amount in major units */
export const money = (amount) => (Number.isInteger(amount) ? whole() : exact()).format(amount);
/** An amount in the purchase's own currency: that of the school may have changed since. @param {number} amount @param {string} currency */
export const moneyIn = (amount, currency) => new Intl.NumberFormat(navigator.language, { style: "currency", currency }).format(amount);
/** @param {number} n */
export const number = (n) => plainNumber().format(n);
/** @param {string} iso */
export const day = (iso) => dayFormat().format(new Date(iso));
/** @param {string} iso */
export const time = (iso) => timeFormat().format(new Date(iso));

/** A day of the server, which counts in UTC, as "Mon 16". @param {string} date such as "2026-11-16" */
export const weekday = (date) => `${weekdayFormat().format(new Date(date))} ${new Date(date).getUTCDate()}`;

/** The price after the discount, rounded as the server does. @param {{coursePrice: number, discount: number}} course */
export const finalPrice = (course) => Math.round(Number((course.coursePrice * (100 - course.discount)).toFixed(6))) / 100;

/** @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = one + "s") => `${number(n)} ${n === 1 ? one : many}`;

/** @param {number} minutes */
export function duration(minutes) {
	const all = Math.round(minutes);
	const hours = Math.floor(all / 60);
	if (hours === 0) return `${all} min`;
	return all % 60 === 0 ? `${hours} h` : `${hours} h ${all % 60} min`;
}

/** A place in a video, as "1:02" or "1:00:02". @param {number} seconds */
export function clock(seconds) {
	const all = Math.floor(seconds), two = (/** @type {number} */ n) => String(n).padStart(2, "0");
	const minutes = Math.floor(all / 60);
	return minutes < 60 ? `${minutes}:${two(all % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(all % 60)}`;
}

/** @param {number} bytes */
export const fileSize = (bytes) => (bytes < 1e6 ? `${number(Math.ceil(bytes / 1e3))} KB` : bytes < 1e9 ? `${number(bytes / 1e6)} MB` : `${number(bytes / 1e9)} GB`);

/** A time as "3 hours ago"; a date from a month on. @param {string} iso */
export function ago(iso) {
	const seconds = (new Date(iso).getTime() - Date.now()) / 1000;
	/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
	const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
	if (seconds < -30 * 86400) return day(iso);
	for (const [unit, length] of units) if (Math.abs(seconds) >= length) return relative().format(Math.round(seconds / length), unit);
	return "just now";
}

/** @param {string} name */
export const initials = (name) => name.split(/\s+/).filter(Boolean).slice(0, 2).map((word) => [...word][0]?.toUpperCase() ?? "").join("");
