// Server-sent events of an answer that is read with fetch.

/**
 * Yields the events of a response as they arrive.
 * @param {Response} response with Content-Type text/event-stream
 * @returns {AsyncGenerator<{event: string, data: any}>} data is parsed JSON
 */
export async function* events(response) {
	if (!response.body) return;
	// Not through a TextDecoderStream: when the network is lost, its pipe fails beside the reader, where nothing can catch that.
	const reader = response.body.getReader(), decoder = new TextDecoder();
	let rest = "";
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			const parts = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
			rest = parts.pop() ?? "";
			for (const part of parts) {
				const event = parse(part);
				if (event) yield event;
			}
		}
	} finally {
		reader.cancel().catch(() => {}); // the reader may have failed
	}
}

/** @param {string} part the lines of an event @returns {{event: string, data: any} | null} null for a comment */
function parse(part) {
	let event = "message";
	const data = [];
	for (const line of part.split(/\r?\n/)) {
		if (line.startsWith("event:")) event = line.slice(6).trim();
		if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
	}
	return data.length === 0 ? null : { event, data: JSON.parse(data.join("\n")) };
}
