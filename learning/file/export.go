package file

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the files and uploads.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "files",
		Text:  "The uploaded files, which are named and not contained in the document.",
		From:  "{files}",
		Index: "files_by_owner",
		Owner: "owner_id",
		Key:   []exportlist.Field{{Column: "created_at", Type: exportlist.Time}, {Column: "id"}},
		Row:   "ExportedFile",
		Fields: []exportlist.Field{
			{Name: "fileId", Column: "id"},
			{Name: "name", Column: "name"},
			{Name: "type", Column: "type", Text: "The media type."},
			{Name: "size", Column: "size", Type: exportlist.Number, Text: "The size in bytes."},
			{Name: "sha256", Column: "sha256",
				Text: "The SHA-256 of the content, in hexadecimal."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
		},
	},
	{
		Name:  "uploads",
		Text:  "The uploads of the last 24 hours, also those that are not complete.",
		From:  "{uploads}",
		Index: "uploads_unfinished_of_owner",
		Owner: "owner_id",
		Key: []exportlist.Field{{Column: "file_id"},
			{Column: "size", Type: exportlist.Number}, {Column: "id"}},
		Row: "ExportedUpload",
		Fields: []exportlist.Field{
			{Name: "uploadId", Column: "id"},
			{Name: "name", Column: "name"},
			{Name: "metadata", Column: "metadata", Text: "The header Upload-Metadata."},
			{Name: "size", Column: "size", Type: exportlist.Number, Text: "The size in bytes."},
			{Name: "offset", Column: "received", Type: exportlist.Number,
				Text: "How many bytes are stored."},
			{Name: "fileId", Column: "file_id", Text: "The file, or empty if it is not complete."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
			{Name: "expiresAt", Column: "expires_at", Type: exportlist.Time,
				Text: "When the upload is removed. The file stays."},
		},
	},
}
