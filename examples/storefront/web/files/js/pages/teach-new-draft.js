// The course that is being written: what it holds, what its fields may hold, and where it is kept.
import { finalPrice } from "../format.js";
import { session } from "../session.js";
import { fromField } from "../components/local-time.js";
import { noTerms, opensData, opensNow, termsData } from "./course-terms.js";

/**
 * Numbers are kept as typed, because a field may hold "12," for a moment.
 * kind is "" for a lecture that is a web address; file is an uploaded file.
 * @typedef {import("../components/upload-field.js").Uploaded} Uploaded
 * @typedef {{language: string, label: string, file: Uploaded | null}} Caption
 * @typedef {{title: string, file: Uploaded | null}} Attachment
 * due says which of the times an assignment has; dueAt is a time of this device, as "2026-12-01T18:00".
 * @typedef {{instructions: string, rubric: {criterion: string, points: string}[], due: "never" | "days" | "at", dueAfterDays: string, dueAt: string, lateDays: string, attempts: string, files: boolean}} Assignment
 * @typedef {{id: string, title: string, minutes: string, url: string, free: boolean, kind: "" | "video" | "audio" | "text" | "file" | "embed" | "assignment", file: Uploaded | null, text: string, captions: Caption[], attachments: Attachment[], assignment: Assignment}} Lecture
 * @typedef {{id: string, title: string, opens?: import("./course-terms.js").Opens, lectures: Lecture[]}} Chapter
 * prices are those in other currencies, one on each line, such as "EUR 21.50".
 * @typedef {{title: string, description: string, price: string, prices: string, discount: string, published: boolean, terms: import("./course-terms.js").Terms, chapters: Chapter[]}} Draft
 */

/** @returns {Lecture} */
export const newLecture = () => ({ id: crypto.randomUUID(), title: "", minutes: "", url: "", free: false, kind: "", file: null, text: "", captions: [], attachments: [], assignment: newAssignment() });
/** @returns {Assignment} */
export const newAssignment = () => ({ instructions: "", rubric: [], due: "never", dueAfterDays: "", dueAt: "", lateDays: "", attempts: "", files: false });
/** @returns {Chapter} */
export const newChapter = () => ({ id: crypto.randomUUID(), title: "", opens: opensNow(), lectures: [newLecture()] });
/** @returns {Draft} */
const newDraft = () => ({ title: "", description: "", price: "", prices: "", discount: "0", published: true, terms: noTerms(), chapters: [newChapter()] });

/** Each person has a draft of their own in this tab. */
const key = () => `storefront.new-course.${session.writer()}`;

/** The draft of this tab, also after a reload. @returns {Draft} */
export function readDraft() {
	try {
		return { ...newDraft(), ...JSON.parse(sessionStorage.getItem(key()) || "null") };
	} catch {
		return newDraft();
	}
}

/** @param {Draft} draft */
export const saveDraft = (draft) => store(key(), draft);

/** Keeps a value in this tab. If a course is too large for that, a reload loses what was typed last. @param {string} name @param {any} value */
export function store(name, value) {
	try {
		sessionStorage.setItem(name, JSON.stringify(value));
	} catch (error) {
		if (/** @type {Error} */ (error).name !== "QuotaExceededError") throw error;
	}
}

export const clearDraft = () => sessionStorage.removeItem(key());

/** A number as people type it; NaN if it is none. @param {string} text */
export const decimal = (text) => (/^\d+([.,]\d+)?$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : NaN);

/** @param {number} longest in code points, as the server counts */
const upTo = (longest) => (/** @type {string} */ value) => ([...value].length > longest ? `At most ${longest.toLocaleString()} characters; there are ${[...value].length.toLocaleString()}.` : "");

/** @param {string} value @param {number} largest @param {string} what */
function money(value, largest, what) {
	const n = decimal(value);
	if (Number.isNaN(n)) return `${what} is a number, such as 499 or 49.50.`;
	if (n > largest) return `At most ${largest.toLocaleString()}.`;
	return /[.,]\d{3,}$/.test(value.trim()) ? "At most two digits after the point." : "";
}

/** The prices in other currencies. Those of a draft of before they could be written are none. @param {string} [text] */
export const pricesIn = (text = "") => text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
	const [currency, amount = ""] = line.split(/\s+(.*)/);
	return { currency: currency.toUpperCase(), price: decimal(amount) };
});

/** @param {string} value */
function checkPrices(value) {
	const seen = new Set([document.documentElement.dataset.currency || "INR"]);
	for (const { currency, price } of pricesIn(value)) {
		if (!/^[A-Z]{3}$/.test(currency) || Number.isNaN(price) || price <= 0) return "Each line is a currency and a price, such as EUR 21.50.";
		if (seen.has(currency)) return `There is a price in ${currency} already.`;
		seen.add(currency);
		const digits = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
		if (Number(price.toFixed(digits)) !== price) return `A price in ${currency} has ${digits === 0 ? "no digits" : `at most ${digits} digits`} after the point.`;
	}
	return "";
}

/** What is wrong with the value of a field, or "": the bounds of the API. */
export const checks = {
	title: upTo(200),
	description: upTo(20000),
	price: (/** @type {string} */ value) => money(value, 10_000_000, "The price"),
	prices: checkPrices,
	discount: (/** @type {string} */ value) => money(value, 100, "The discount"),
	minutes: (/** @type {string} */ value) => {
		const n = decimal(value);
		if (Number.isNaN(n)) return "Minutes, such as 12 or 7.5.";
		return n > 100_000 ? "At most 100,000 minutes." : "";
	},
	url: (/** @type {string} */ value) => {
		if ([...value].length > 2000) return "At most 2,000 characters.";
		return URL.canParse(value) && /^https?:\/\//i.test(value) ? "" : "An address that begins with https:// or http://.";
	},
	embed: (/** @type {string} */ value) => checks.url(value) || (/^https:/i.test(value) ? "" : "An address that begins with https://."),
	text: upTo(100_000),
	label: upTo(100),
	language: (/** @type {string} */ value) => (value.length <= 35 && /^[a-z0-9]{1,8}(-[a-z0-9]{1,8})*$/i.test(value) ? "" : "A tag such as en, pt-BR or zh-Hans."),
};

/** What students pay; NaN while price or discount are wrong. @param {Pick<Draft, "price" | "discount">} draft */
export function resultingPrice(draft) {
	if (checks.price(draft.price) || checks.discount(draft.discount)) return NaN;
	return finalPrice({ coursePrice: decimal(draft.price), discount: decimal(draft.discount) });
}

/** Whether the price cannot be paid: it is neither 0 nor at least 1. @param {Pick<Draft, "price" | "discount">} draft */
export const isTooCheap = (draft) => resultingPrice(draft) > 0 && resultingPrice(draft) < 1;

/** What is wrong with the draft as a whole, or "". @param {Draft} draft @param {any} [sent] what is sent of it; all of it by default */
export function problemOf(draft, sent = courseData(draft)) {
	const lectures = draft.chapters.reduce((sum, chapter) => sum + chapter.lectures.length, 0);
	if (lectures === 0) return "A course needs at least one lecture. Add one to a chapter.";
	if (lectures > 1000) return `A course has at most 1,000 lectures; there are ${lectures.toLocaleString()}. Remove some, or make two courses.`;
	if (isTooCheap(draft)) return "After the discount the price is below 1, which cannot be paid. Lower the discount, or make the course free.";
	if (new Blob([JSON.stringify(sent)]).size > 1 << 20) return "All texts together are larger than 1 MB, which is too much at once. Shorten some, save, and add the rest after that.";
	return "";
}

/** The courseData part of the upload. @param {Draft} draft */
export function courseData(draft) {
	return {
		courseTitle: draft.title.trim(), courseDescription: draft.description.trim(), coursePrice: decimal(draft.price), prices: pricesIn(draft.prices), discount: decimal(draft.discount), isPublished: draft.published, terms: termsData(draft.terms),
		courseContent: draft.chapters.map((chapter, i) => ({
			chapterId: chapter.id, chapterOrder: i + 1, chapterTitle: chapter.title.trim(), opens: opensData(chapter.opens ?? opensNow()),
			chapterContent: chapter.lectures.map((lecture, j) => ({ lectureId: lecture.id, lectureOrder: j + 1, lectureTitle: lecture.title.trim(), lectureDuration: decimal(lecture.minutes), isPreviewFree: lecture.free, ...materialData(lecture) })),
		})),
	};
}

/**
 * What the API takes of the material of a lecture: a file or an address, but not both.
 * @param {Lecture} lecture
 * @returns {{lectureUrl?: string, kind?: Exclude<Lecture["kind"], "">, fileId?: string, text?: string, captions?: {language: string, label: string, fileId: string}[], attachments?: {title: string, fileId: string}[], assignment?: ReturnType<typeof assignmentData>}}
 */
function materialData({ kind, url, file, text, captions, attachments, assignment }) {
	if (kind === "") return { lectureUrl: url.trim() };
	const isMedia = kind === "video" || kind === "audio", fileId = isMedia || kind === "file" ? file?.id : undefined;
	return {
		kind, fileId, text,
		lectureUrl: kind === "embed" || (isMedia && !fileId) ? url.trim() : undefined,
		captions: isMedia ? captions.map(({ language, label, file }) => ({ language: language.trim(), label: label.trim(), fileId: file?.id ?? "" })) : [],
		attachments: attachments.map(({ title, file }) => ({ title: title.trim(), fileId: file?.id ?? "" })),
		assignment: kind === "assignment" ? assignmentData(assignment) : undefined,
	};
}

/** @param {Assignment} assignment */
function assignmentData({ instructions, rubric, due, dueAfterDays, dueAt, lateDays, attempts, files }) {
	const number = (/** @type {string} */ text) => (text === "" ? undefined : Number(text));
	return {
		instructions, files, rubric: rubric.map(({ criterion, points }) => ({ criterion: criterion.trim(), points: Number(points) })),
		dueAfterDays: due === "days" ? number(dueAfterDays) : undefined, dueAt: due === "at" ? fromField(dueAt) : undefined,
		lateDays: due === "never" ? undefined : number(lateDays), attempts: number(attempts),
	};
}
