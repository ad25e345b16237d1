// Package thumbnail decodes uploaded images and encodes them again: upright, at most
// [MaxSide] pixels a side, and without the metadata of the upload.
//
// The memory that a decoder needs is computed from the header, before anything is
// decoded. An image that needs more than [MaxMemory] is refused; the images that are
// decoded at the same time share a fixed amount of memory (see [Processor]).
package thumbnail
