package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShortScript_KeepsTheCode(t *testing.T) {
	t.Parallel()
	const source = `// About the module
// in two lines.
import { h } from "./dom.js";

/** @typedef {{a: string}} A */
/**
 * Does something; see a/*.js.
 * @param {A} a **bold**
 */
export function f(a) {
	// why
	const url = "https://example.org/*", all = "audio/*,.mp3"; // stays
	/** @type {string[]} */
	const list = [];
	/** Says so. */ const one = /** @type {any} */ (a).b;
	return g((/** @type {string} */ text) => ` + "`//${text}/* **/`" + `);
}
`
	const want = `import { h } from "./dom.js";
export function f(a) {
const url = "https://example.org/*", all = "audio/*,.mp3"; // stays
const list = [];
/** Says so. */ const one = (a).b;
return g((text) => ` + "`//${text}/* **/`" + `);
}
`
	if diff := cmp.Diff(want, string(shortScript([]byte(source)))); diff != "" {
		t.Error(diff)
	}
}

func TestShortStyle_KeepsTheRules(t *testing.T) {
	t.Parallel()
	const source = "/* A part.\n   It has * two lines. */\n@media print {\n" +
		"\ta { content: \"/* no */\"; } /* stays */\n\n\t/* gone */\n\tb { margin: 0; }\n}\n"
	const want = "@media print {\na { content: \"/* no */\"; } /* stays */\nb { margin: 0; }\n}\n"
	if diff := cmp.Diff(want, string(shortStyle([]byte(source)))); diff != "" {
		t.Error(diff)
	}
}
