// Uploads a file by tus-js-client, whose connections break, and prints the URL of the upload. API is
// the URL of the server, TOKEN that of an educator, FILE the path of the file and CHUNK the size of the
// requests, 0 for one. At a third of the file the upload is stopped and goes on. At two thirds the
// process PID is killed, unless PID is 0; the client tries again until another one answers.
import { createReadStream, statSync } from "node:fs";
import { Upload } from "tus-js-client";

const { API, TOKEN, FILE, CHUNK, PID } = process.env;
const size = statSync(FILE).size;
let stopped = false, killed = PID === "0";

const upload = new Upload(createReadStream(FILE), {
	endpoint: `${API}/api/educator/uploads`,
	headers: { Authorization: `Bearer ${TOKEN}` },
	metadata: { filename: "../Week 1 ü.pdf", filetype: "text/html" },
	uploadSize: size,
	chunkSize: CHUNK === "0" ? Infinity : Number(CHUNK),
	retryDelays: Array(100).fill(100),
	onProgress(sent) {
		if (!stopped && sent > size / 3) {
			stopped = true;
			resume();
		} else if (stopped && !killed && sent > 2 * size / 3) {
			killed = true;
			process.kill(Number(PID), "SIGKILL");
		}
	},
	onError(error) {
		console.error(error.message);
		process.exitCode = 1;
	},
	onSuccess() { console.log(upload.url); },
});

// resume breaks the connection. The offset is that of the server from then on.
async function resume() {
	await upload.abort();
	upload.start();
}

upload.start();
