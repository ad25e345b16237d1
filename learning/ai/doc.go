// Package ai is a client of a language model with an OpenAI-compatible
// chat-completions API.
//
// It supports answers in one piece and as a stream of server-sent events. It requests
// JSON by a schema, or describes the schema in the prompt if the provider does not
// support schemas. It counts tokens as the provider reports them, or else by length. It
// contains all time limits and retries.
//
// It checks that an answer has text, is complete and not too long; package learning
// validates the content. It does not follow redirects, because they would send the key
// to another host. It does not retry after a part of an answer was passed on. Errors
// contain no key, prompt or answer.
package ai
