// Reading on in a list whose pages may be empty though more follow: a search looks at a number of
// rows and answers with those that match.

/** How many pages are read until one has rows, and how many to show as many rows as before. */
const mostEmpty = 5, mostPages = 50;

/**
 * Reads pages until there is a row, or as many as are wanted, or no more follow, and returns their rows
 * as one page. It gives up after some pages, so that the server is not asked without end: then the
 * page is empty or short, and nextCursor goes on.
 * @template T
 * @param {(cursor?: string) => Promise<{rows: T[], nextCursor?: string | null}>} read
 * @param {string} [cursor] without it the first page is read
 * @param {number} [wanted]
 * @returns {Promise<{rows: T[], nextCursor: string | null}>}
 */
export async function readOn(read, cursor, wanted = 1) {
	/** @type {T[]} */
	const all = [];
	for (let pages = 1, empty = 0; ; pages++) {
		const { rows, nextCursor = null } = await read(cursor);
		all.push(...rows);
		empty = rows.length > 0 ? 0 : empty + 1;
		if (nextCursor === null || all.length >= wanted || empty === mostEmpty || pages === mostPages) return { rows: all, nextCursor };
		cursor = nextCursor;
	}
}

/** The button that reads on, in words. @param {boolean} isEmpty whether no row has been found yet */
export const moreText = (isEmpty) => (isEmpty ? "Search on" : "Show more");

/** What is shown while no row has been found and more may follow. @param {string} many the rows, such as "courses" */
export const noneYet = (many) => `None of the ${many} so far matches. Search on, or try other words.`;
