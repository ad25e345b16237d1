// A client of the API for one user. Every type comes from api.ts, which `npm run generate` makes of the document.
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];

/** api returns a client that sends the token, if there is one. */
export function api(baseUrl: string, token?: string): Client<paths> {
	return createClient<paths>({ baseUrl, headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
}

/** Failure is what the API answers then; a problem (RFC 9457) only to a client that asks for one. */
type Failure = Schemas["Failure"] | Schemas["Problem"];

/** Refusal is a failure of the API, such as 409 for a course that the user owns already. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		failure: Failure | undefined,
	) {
		super(failure === undefined ? `the status is ${status}` : "message" in failure ? failure.message : failure.title);
	}
}

interface Result<Data, Failure> {
	data?: Data;
	error?: Failure;
	response: Response;
}

/** must returns the data of a success, and throws a Refusal for a failure. A route that can answer CSV too is asked for JSON. */
export async function must<Data extends { success: true } | string>(answer: Promise<Result<Data, Failure>>): Promise<Exclude<Data, string>> {
	const { data, error, response } = await answer;
	if (data !== undefined) {
		return data as Exclude<Data, string>;
	}
	throw new Refusal(response.status, error);
}

/** refusal returns the failure of a request that must fail, with its status. */
export async function refusal<Data, Failure>(answer: Promise<Result<Data, Failure>>): Promise<{ status: number; failure: Failure }> {
	const { error, response } = await answer;
	if (error === undefined) {
		throw new Error(`${response.url}: the status is ${response.status}, and no failure`);
	}
	return { status: response.status, failure: error };
}
