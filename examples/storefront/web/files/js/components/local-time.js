// Times in fields of the type datetime-local, which hold a time of the reader's zone without saying so.

/** A time as such a field holds it. @param {string | null | undefined} iso */
export const toField = (iso) => (iso ? new Date(Date.parse(iso) - new Date(iso).getTimezoneOffset() * 60_000).toISOString().slice(0, 16) : "");

/** What such a field holds as the API takes it; nothing for a time that is not complete. @param {string} value */
export const fromField = (value) => (Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString());
