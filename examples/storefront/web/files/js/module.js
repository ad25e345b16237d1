// Modules that are loaded after the first page.
import { ApiError } from "./api.js";

/**
 * The module that loading ends with; without a connection an error that says so.
 * @template T @param {Promise<T>} loading an import
 */
export async function arrived(loading) {
	try {
		return await loading;
	} catch (error) {
		if (error instanceof TypeError && /import/i.test(error.message)) throw new ApiError(0, "A part of the page did not arrive. Reload the page when the connection is back.");
		throw error;
	}
}
