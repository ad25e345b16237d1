// Package learningtest gives tests a whole platform in one line: a
// [learning.Platform] on a temporary SQLite file, the sandbox's identity provider,
// payment gateway and AI provider behind it over real HTTP, and a clock that is set
// by hand.
//
// It is for the tests of those who embed the library as much as for our own, and
// is no part of a program: it imports testing.
package learningtest
