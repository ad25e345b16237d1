// Types of the API's operations, taken from its OpenAPI document: openapi.d.ts is generated from
// it (npm run types), and only tsc reads it.
import type { paths } from "./openapi";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type At<P extends keyof paths, M extends string> = Lowercase<M> extends keyof paths[P] ? paths[P][Lowercase<M>] : never;

/** "GET /api/course/all" and so on: every operation of the API. */
export type Operation = { [P in keyof paths & string]: { [M in Method]: At<P, M> extends { responses: any } ? `${M} ${P}` : never }[Method] }[keyof paths & string];

type Op<K extends Operation> = K extends `${infer M} ${infer P}` ? (P extends keyof paths ? At<P, M> : never) : never;
type JSONOf<T> = T extends { content: { "application/json": infer B } } ? B : never;
type BodyOf<O> = O extends { requestBody?: infer R } ? JSONOf<NonNullable<R>> : never;
type In<O, Place extends string> = O extends { parameters: infer A } ? (Place extends keyof A ? NonNullable<A[Place]> : {}) : {};

/** The JSON of a successful answer; call throws for one with success false. */
export type Answer<K extends Operation> = Op<K> extends { responses: { 200: infer R } } ? Exclude<JSONOf<R>, { success: false }> : never;

/** What a call takes: values of the path and the query, the body, a signal that stops it. */
export type Options<K extends Operation> = {
	path?: In<Op<K>, "path">;
	query?: In<Op<K>, "query">;
	body?: BodyOf<Op<K>>;
	signal?: AbortSignal;
	/** Send no token: the answer is the same for everyone. */
	anonymous?: boolean;
	/** Send it also when the page is closed meanwhile. */
	keepalive?: boolean;
};
