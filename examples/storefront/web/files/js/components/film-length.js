// How long a film or a sound is, read from the file before it is sent.

/** Its length in seconds, or null if this browser cannot read it. @param {File} file @param {boolean} isAudio @returns {Promise<number | null>} */
export function filmLength(file, isAudio) {
	const player = document.createElement(isAudio ? "audio" : "video"), url = URL.createObjectURL(file);
	player.preload = "metadata";
	return new Promise((resolve) => {
		const end = (/** @type {number | null} */ seconds) => {
			player.onloadedmetadata = player.ondurationchange = player.onerror = null;
			player.removeAttribute("src");
			URL.revokeObjectURL(url);
			resolve(seconds);
		};
		const look = () => {
			if (Number.isFinite(player.duration)) end(player.duration);
			else player.currentTime = Number.MAX_SAFE_INTEGER; // a recording whose length is known at its end
		};
		player.onloadedmetadata = player.ondurationchange = look;
		player.onerror = () => end(null);
		player.src = url;
	});
}

/** Minutes as a field has them, with at most one decimal. @param {number} seconds */
export const minutesOf = (seconds) => String(Math.max(0.1, Math.round(seconds / 6) / 10));
