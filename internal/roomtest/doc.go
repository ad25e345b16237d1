// Package roomtest is what the tests of the rooms share: a [World], which is a platform on a
// database of each engine with a connection of its own, people and courses in it, the faults of a
// store and of providers, and checks that hold for all rooms. Its files have the names of the nouns
// that they concern. A helper that one test file needs stays in that file.
package roomtest
