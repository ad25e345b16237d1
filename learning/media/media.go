// Package media stores public files on a disk and serves them to browsers.
//
// A [Disk] uses one folder. A file is stored completely or not at all, also after a power
// failure, and is served with the content type of its extension. A Disk rejects names
// outside the folder (through dots, links or otherwise) and types that a browser would run.
// It does not replace files, so that browsers may cache them. It does not check the bytes of
// a file: package learning decodes and encodes every image.
//
// Several machines share files through an S3-compatible bucket: see package bucket.
package media
