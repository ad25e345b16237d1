// Package file is the room of files: those that users upload at once or in parts, what they may
// store together, and the pictures of courses and bundles.
//
// It uses package core only, and comes before catalog: it counts how many things use a file, and
// does not know which. It refuses content that is not of a known type, more than a user may
// store, and images that would take much memory. Content is stored before the transaction that uses
// it, under a name that is reserved, so that nothing is left behind: see unused_file.go. Begin
// reading at [Service], at file_upload.go for a file that is sent at once, and at upload_append.go
// for one that arrives in parts.
package file
