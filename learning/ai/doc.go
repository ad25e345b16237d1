// Package ai speaks to a language model behind an OpenAI-compatible
// chat-completions API, whoever serves it: a company, or a machine of one's own.
//
// It owns the protocol: requests in one piece and as a stream of server-sent
// events, answers in JSON asked for by a schema where the provider knows how and in
// words where it does not, tokens counted by the provider or else by length; and it
// owns patience: how long to wait for what, and when to ask again.
//
// It refuses to believe that an answer is what was asked for: it makes sure that
// there is text, that it is whole, and not too long, and leaves the rest to package
// learning. It refuses to follow redirects, which would carry the key elsewhere, to
// ask again once a part of an answer was handed on, and to repeat a key, a prompt or
// an answer in an error.
package ai
