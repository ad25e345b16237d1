package catalog

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the courses.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "courses",
		Text:  "The courses that the caller teaches, drafts included, the oldest first.",
		From:  "{courses}",
		Owner: "educator_id",
		Key:   []exportlist.Field{{Column: "created_at", Type: exportlist.Time}, {Column: "id"}},
		Row:   "ExportedCourse",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "courseTitle", Column: "title"},
			{Name: "courseDescription", Column: "description",
				Text: "The description of the course, as it was written."},
			{Name: "coursePrice", Column: "price", Type: exportlist.Amount},
			{Name: "discount", Column: "discount", Type: exportlist.Amount},
			{Name: "isPublished", Column: "is_published", Type: exportlist.Bool},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
			{Name: "updatedAt", Column: "updated_at", Type: exportlist.Time},
			{Name: "metadata", Column: "metadata", Type: exportlist.Metadata,
				Text: "What the host keeps with the course."},
		},
	},
}
