// The first page on a slow phone: what it loads, in how many rounds, and after how long a course can be read.
import { openContext, quiet, timeout } from "./storefront_watch.mjs";

// A processor that is four times slower, and Chromium's fast 3G: milliseconds, and bytes a second.
const slowdown = 4;
const network = { offline: false, latency: 562.5, downloadThroughput: (1.6 * 0.9 * 1e6) / 8, uploadThroughput: (0.75 * 0.9 * 1e6) / 8 };
const tries = 3; // the fastest counts, because the machine may be busy
const longest = 4 * timeout; // a busy machine that is slowed down takes long

// The bytes of the first page without its pictures: as the network carries them, with headers, and as the browser unpacks
// and reads them.
const mostBytes = 40_000, mostUnpacked = 100_000;

// firstPage checks the number and the size of the files. Times are printed only.
export async function firstPage(world, problem) {
	let best;
	for (let i = 0; i < tries; i++) {
		const load = await loadSlowly(world, problem);
		if (!best || load.readable < best.readable) best = load;
	}
	const bytes = best.files.reduce((sum, file) => sum + file.bytes, 0);
	const scripts = best.files.filter((file) => file.type === "Script").length;
	if (scripts > 5) problem(`the first page loads ${scripts} modules, want at most 5, which arrive in one round with the style sheet`);
	const unpacked = best.files.reduce((sum, file) => sum + file.unpacked, 0);
	if (bytes > mostBytes) problem(`the first page is ${bytes} bytes without pictures, want at most ${mostBytes}`);
	if (unpacked > mostUnpacked) problem(`the first page is ${unpacked} bytes without pictures and unpacked, want at most ${mostUnpacked}`);
	return `${bytes} bytes, ${unpacked} unpacked, ${scripts} modules, ${rounds(best)} rounds; on a slow phone the heading can be read after ${best.heading} ms and a course after ${best.readable} ms`;
}

// loadSlowly opens the home page in a new context and returns its files without pictures, and when its heading and its
// first course were painted.
async function loadSlowly(world, problem) {
	const problems = [];
	const context = await openContext(world, problems, { width: 390, height: 844 });
	const page = await context.newPage();
	const client = await context.newCDPSession(page);
	const files = new Map();
	client.on("Network.responseReceived", ({ requestId, type, response }) => files.set(requestId, { type, bytes: 0, unpacked: 0, sent: response.timing.requestTime * 1000 + response.timing.sendStart }));
	client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => { files.get(requestId).bytes = encodedDataLength; });
	client.on("Network.dataReceived", ({ requestId, dataLength }) => { files.get(requestId).unpacked += dataLength; });
	await client.send("Network.enable");
	await client.send("Network.emulateNetworkConditions", network);
	await client.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
	await page.addInitScript(notePaints);
	await page.goto(world.storefront + "/", { waitUntil: "commit" });
	const paints = await (await page.waitForFunction(() => window.paints?.readable && window.paints, null, { timeout: longest })).jsonValue();
	await quiet(page);
	await context.close();
	problems.forEach(problem);
	return { ...paints, files: [...files.values()].filter((file) => file.type !== "Image") };
}

// notePaints runs in the page. It stores in window.paints when the heading and a course were first painted.
function notePaints() {
	window.paints = {};
	const note = (name, selector) => {
		if (name in window.paints || !document.querySelector(selector)) return;
		window.paints[name] = 0;
		requestAnimationFrame(() => setTimeout(() => { window.paints[name] = Math.round(performance.now()); }));
	};
	new MutationObserver(() => { note("heading", "main h1"); note("readable", ".course-card h3"); }).observe(document, { childList: true, subtree: true });
}

// rounds counts how often the network had to be asked and waited for before the course could be read.
function rounds({ files }) {
	let start = -Infinity;
	let count = 0;
	for (const { sent, type } of files.toSorted((a, b) => a.sent - b.sent)) {
		if (sent < start + network.latency || type === "Other") continue; // the icon is loaded last
		start = sent;
		count++;
	}
	return count;
}
