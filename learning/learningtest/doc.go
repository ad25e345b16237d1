// Package learningtest provides a complete platform for tests: a
// [learning.Platform] on a temporary SQLite file, the sandbox's identity provider,
// payment gateway and AI provider over real HTTP, and a clock that the test sets.
//
// It also has the suites for what a host makes itself: [Contract] for its handler, and [Tokens],
// [Media], [Files], [Gateway], [AI] and [Renderer] for its providers.
//
// It is for tests of hosts and of this module. Programs must not import it, because it
// imports testing.
package learningtest
