// Times and days in fields of the types datetime-local and date, which hold those of the reader's zone without saying so.

/** A time as such a field holds it. @param {string | null | undefined} iso */
export const toField = (iso) => (iso ? new Date(Date.parse(iso) - new Date(iso).getTimezoneOffset() * 60_000).toISOString().slice(0, 16) : "");

/** What such a field holds as the API takes it; nothing for a time that is not complete. @param {string} value */
export const fromField = (value) => (Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString());

/** The time at which a day of a field of the type date begins, or one after some days; undefined if there is no day, or its year is not typed to the end. @param {string} value @param {number} [later] in days */
export function dayStart(value, later = 0) {
	const [year, month, day] = value.split("-").map(Number);
	const at = new Date(year, month - 1, day + later);
	return /^\d{4}-\d\d-\d\d$/.test(value) && year >= 1000 && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}
