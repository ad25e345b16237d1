// Package paging reads lists in pages, and whole lists in parts, so that no list of any length
// needs much memory or holds a connection while its caller writes. The lists themselves are those
// of the rooms: it knows no noun.
package paging
