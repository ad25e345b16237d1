// Pages of a browser that record what goes wrong on them, and the calls with which a test prepares them.

export const timeout = 120_000; // bounds every wait; only a failing run reaches it

// openContext returns a context of the storefront, of a user if there is one, that records its problems in problems.
// allow matches those that are meant to happen.
export async function openContext(world, problems, { width = 1280, height = 900, user, allow } = {}) {
	const context = await world.browser.newContext({
		viewport: { width, height }, reducedMotion: "reduce", colorScheme: "light", locale: "en-GB",
		storageState: user && { cookies: [], origins: [{ origin: world.storefront, localStorage: [{ name: "storefront.session", value: JSON.stringify(await session(world, user)) }] }] },
	});
	context.setDefaultTimeout(timeout);
	await context.exposeFunction("reportPolicy", (text) => problems.push(text));
	await context.addInitScript(() => addEventListener("securitypolicyviolation", (e) => window.reportPolicy(`policy: ${e.violatedDirective} ${e.blockedURI}`)));
	context.on("page", (page) => watch(world, page, (problem) => allow?.test(problem) || problems.push(problem)));
	return context;
}

// isStream reports whether a request is that of the bell, which ends with the page.
const isStream = (url) => url.endsWith("/api/user/notifications/stream");

const running = new WeakMap(); // page → requests that have not ended

function watch(world, page, problem) {
	const open = new Set();
	running.set(page, open);
	const origins = [world.storefront, world.api, world.sandbox];
	page.on("request", (r) => {
		const url = new URL(r.url());
		if (!["data:", "blob:", "about:"].includes(url.protocol) && !origins.includes(url.origin)) problem(`request to another host: ${r.url()}`);
		if (!isStream(r.url())) open.add(r);
	});
	page.on("requestfinished", (r) => open.delete(r));
	page.on("requestfailed", (r) => {
		open.delete(r);
		const cause = r.failure()?.errorText;
		if (isStream(r.url())) return; // the bell opens it again
		if (cause !== "net::ERR_ABORTED") problem(`failed: ${r.method()} ${r.url()} ${cause}`); // an aborted request is one that the page gave up, as the reader has left
	});
	page.on("response", (r) => r.status() >= 400 && !isStream(r.url()) && problem(`${r.status()}: ${r.request().method()} ${r.url()}`));
	page.on("pageerror", (e) => problem(`error: ${e.stack || e}`));
	page.on("console", (m) => ["error", "warning"].includes(m.type()) && !isStream(m.location().url) && problem(`console: ${m.text()} ${m.location().url}`));
}

// quiet waits until a page shows its heading or an error, waits for no data and has no running request.
export async function quiet(page) {
	await page.waitForFunction(() => document.querySelector("main :is(h1, .state.bad)") && !document.querySelector("main [aria-busy=true], main .skeleton, .progress-line"));
	const end = Date.now() + timeout;
	for (const open = running.get(page); open.size > 0;) {
		if (Date.now() > end) throw new Error(`still running: ${[...open].map((r) => r.url())}`);
		await Promise.race([page.waitForEvent("requestfinished", { timeout: 1000 }), page.waitForEvent("requestfailed", { timeout: 1000 })]).catch(() => {});
	}
}

// visit opens a path: by a link of the shown page if there is one, else as a deep link.
export async function visit(world, page, path) {
	const link = page.locator(`a[href="${path}"]:visible`).first();
	if (await link.count()) {
		await page.evaluate(() => { for (const part of document.querySelector("main").children) part.dataset.left = ""; });
		await link.click();
		await page.locator("main > [data-left]").first().waitFor({ state: "detached" });
	} else {
		await page.goto(world.storefront + path);
	}
	await page.waitForURL((url) => url.pathname === path.split("?")[0]); // a page may add its filters
	await quiet(page);
}

// signIn chooses a user on the sign-in page that is shown.
export async function signIn(page, name) {
	await page.getByText(/^\d+ other users?$/).click();
	await page.getByRole("button", { name: `Sign in as ${name}` }).click();
}

// counter counts the requests of a page from then on: it returns a function that returns how many had a method and a path
// that pattern matches.
export function counter(page, pattern) {
	let count = 0;
	page.on("request", (r) => { if (r.method() !== "OPTIONS" && pattern.test(`${r.method()} ${new URL(r.url()).pathname}`)) count++; });
	return () => count;
}

// sizes are those of a large screen and of a phone.
export const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

// atBothSizes returns a flow for each size. Each has a user of its own, whose name is that of the size too.
export function atBothSizes(name, firstName, steps, options = {}) {
	return Object.fromEntries(Object.entries(sizes).map(([size, bounds]) => [`${name}, on a ${size}`, flow(firstName && firstName + size, steps, { ...options, ...bounds })]));
}

// endSession has the server refuse the token of a page from now on, as it does when the session has ended. It returns a
// function that ends this.
export async function endSession(page, world) {
	const api = (url) => url.origin === world.api;
	await page.route(api, (route) => {
		const headers = route.request().headers();
		if (headers.authorization) headers.authorization = headers.authorization.slice(0, -8) + "AAAAAAAA";
		return route.continue({ headers });
	});
	return () => page.unroute(api);
}

// session returns what the storefront stores when a user of the sandbox signs in.
async function session(world, { userId, name, role }) {
	return { token: await token(world, userId), person: { userId, name, role } };
}

const tokens = new Map();

// token returns a session token of a user of the sandbox.
export async function token(world, userId) {
	if (!tokens.has(userId)) {
		const answer = await json(world.sandbox + "/v1/sign-in", { method: "POST", body: { userId, remember: true } });
		tokens.set(userId, answer.token);
	}
	return tokens.get(userId);
}

// callAs calls the API as a user, or as a visitor if userId is "".
export async function callAs(world, userId, method, path, body) {
	return json(world.api + path, { method, body, token: userId && (await token(world, userId)) });
}

// json sends a request and returns the JSON of a successful answer; null if there is no body.
export async function json(url, { method = "GET", body, token } = {}) {
	const headers = { Accept: "application/json" };
	if (body) headers["Content-Type"] = "application/json";
	if (token) headers.Authorization = "Bearer " + token;
	const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
	const text = await response.text();
	if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
	return text ? JSON.parse(text) : null;
}

// createUser creates a user at the sandbox and waits until the platform knows them. Each flow has users of its own, so
// that none meets the rate limits or purchases of another.
export async function createUser(world, userId, firstName, lastName = "Example", role = "student") {
	await json(`${world.sandbox}/sandbox/users/${userId}`, { method: "PUT", body: { firstName, lastName, email: `${userId}@example.com`, role } });
	await until(async () => (await callAs(world, userId, "GET", "/api/user/data")).success, `the platform to know ${userId}`);
	return { userId, name: `${firstName} ${lastName}`, role };
}

// until repeats check until it returns a true value, and returns that.
export async function until(check, what) {
	for (const end = Date.now() + timeout; Date.now() < end;) {
		const value = await check();
		if (value) return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`timed out waiting for ${what}`);
}

// flow returns a job that runs steps on a page of a new user, or of a visitor if firstName is "". allow matches the
// problems that the steps cause on purpose.
export function flow(firstName, steps, { role, allow, ...options } = {}) {
	return async (world, problem) => {
		const problems = [];
		const user = firstName ? await createUser(world, `flow_${firstName.toLowerCase()}`, firstName, "Example", role) : undefined;
		const context = await openContext(world, problems, { user, allow, ...options });
		const page = await context.newPage();
		try {
			return await steps({ world, context, page, user, problem });
		} finally {
			problems.forEach(problem);
			if (world.screenshots && page.url() !== "about:blank") await page.screenshot({ path: `${world.screenshots}/last-${firstName || "visitor"}.png` }).catch(() => {});
			await context.close();
		}
	};
}
