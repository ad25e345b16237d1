// Addresses that people have typed, before they become links or frames.

/**
 * The URL of a text, or null if it leads to no web page: a browser would run a javascript: URL and
 * show a data: URL as if this site had written it.
 * @param {string} text
 * @param {string} [base] for relative addresses
 */
export function webURL(text, base) {
	const url = URL.parse(text, base);
	return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
}
