// A video or a sound of a lecture, with the browser's controls and, below them, the speed and the
// captions. It goes on where the student stopped, and tells where they are.
import { fill, h, onValue } from "../dom.js";
import { clock } from "../format.js";

/**
 * What the page of a student knows of a lecture: from is where they stopped, in seconds; at is called
 * with the second of the lecture every ten seconds, when it is paused and when the page is left; isLast
 * means that the page is left.
 * @typedef {{from: number, at: (seconds: number, isLast: boolean) => void, signal: AbortSignal}} Watching
 * @typedef {{language: string, label: string, url?: string}} Caption
 * @typedef {{url: string, title: string, isAudio: boolean, captions: Caption[], watching?: Watching, failed: () => Node}} Media
 */

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];
const interval = 10;
/** How close to its end a lecture is over, in seconds. */
const end = 2;

/** The choices of a reader, which hold for all lectures. */
const kept = (/** @type {string} */ name) => localStorage.getItem(`storefront.${name}`) ?? "";
const keep = (/** @type {string} */ name, /** @type {string} */ value) => localStorage.setItem(`storefront.${name}`, value);

/** @param {Media} options @returns {{element: HTMLElement, player: HTMLMediaElement}} */
export function media({ url, title, isAudio, captions, watching, failed }) {
	const hasCaptions = captions.some((caption) => caption.url);
	const player = h(isAudio ? "audio" : "video", { src: url, controls: true, preload: "metadata", "aria-label": title });
	if (player instanceof HTMLVideoElement) player.playsInline = true;
	// A browser reads captions of another origin only with a video that it has asked for in this way.
	if (hasCaptions) player.crossOrigin = "anonymous";
	const speech = h("p", { class: "caption-line", lang: "", hidden: true });
	const element = h("div", { class: "stack tight media" },
		h("div", { class: isAudio ? "" : "lecture-frame" }, player), isAudio && speech,
		h("div", { class: "row media-choices" }, speed(player), hasCaptions && captionChoice(player, captions, isAudio ? speech : null)), watching && resume(player, watching));
	player.onerror = () => {
		if (player.crossOrigin === null) { element.replaceWith(failed()); return; }
		player.removeAttribute("crossorigin"); // a host that does not allow it: the video plays without captions
		player.load();
	};
	if (watching) report(player, watching);
	return { element, player };
}

/** @param {string} label @param {[value: string, text: string][]} options @param {string} chosen @param {(value: string) => void} use */
function choice(label, options, chosen, use) {
	return h("label", { class: "small" }, label, h("select", { class: "input", onchange: onValue(use) }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text))));
}

/** @param {HTMLMediaElement} player */
function speed(player) {
	const set = (/** @type {string} */ value) => { player.defaultPlaybackRate = player.playbackRate = Number(value) || 1; };
	set(kept("speed"));
	return choice("Speed", speeds.map((n) => [String(n), `${n}×`]), String(player.playbackRate), (value) => { keep("speed", value); set(value); });
}

/** The choice of captions. A sound shows them in a line of its own. @param {HTMLMediaElement} player @param {Caption[]} captions @param {HTMLElement | null} line */
function captionChoice(player, captions, line) {
	const tracks = captions.filter((caption) => caption.url).map(({ language, label, url }) => h("track", { kind: "captions", srclang: language, label, src: url }));
	player.append(...tracks);
	const show = (/** @type {string} */ language) => {
		for (const element of tracks) {
			const { track } = element, isChosen = element.srclang === language;
			track.mode = !isChosen ? "disabled" : line ? "hidden" : "showing";
			track.oncuechange = !isChosen || !line ? null : () => fill(line, [...track.activeCues ?? []].map((cue) => /** @type {VTTCue} */ (cue).getCueAsHTML().textContent ?? "").join(" "));
		}
		if (!line) return;
		line.hidden = !tracks.some(({ srclang }) => srclang === language);
		line.lang = language;
		fill(line);
	};
	show(kept("captions"));
	return choice("Captions", [["", "Off"], ...tracks.map((track) => /** @type {[string, string]} */ ([track.srclang, track.label]))], kept("captions"), (value) => { keep("captions", value); show(value); });
}

/** Goes to where the student stopped, and says so. @param {HTMLMediaElement} player @param {Watching} watching */
function resume(player, { from }) {
	const note = h("p", { class: "small muted row", role: "status", hidden: true });
	player.addEventListener("loadedmetadata", () => {
		if (from < 1 || from > player.duration - end) return;
		player.currentTime = from;
		note.hidden = false;
		fill(note, `Goes on at ${clock(from)}. `, h("button", { class: "button quiet small", type: "button", onclick: () => { player.currentTime = 0; note.hidden = true; } }, "From the beginning"));
	}, { once: true });
	return note;
}

/** Tells where the student is. @param {HTMLMediaElement} player @param {Watching} watching */
function report(player, { from, at, signal }) {
	let told = from;
	const tell = (isLast = false) => {
		if (player.readyState === 0) return; // it is not known yet where it begins
		const now = player.ended ? 0 : player.currentTime;
		if (Math.abs(now - told) < 0.5) return;
		told = now;
		at(now, isLast);
	};
	player.addEventListener("timeupdate", () => { if (!player.paused && Math.abs(player.currentTime - told) >= interval * player.playbackRate) tell(); });
	for (const event of ["pause", "ended"]) player.addEventListener(event, () => tell());
	addEventListener("pagehide", () => tell(true), { signal });
	signal.addEventListener("abort", () => { tell(true); player.pause(); }, { once: true });
}
