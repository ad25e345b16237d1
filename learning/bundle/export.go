package bundle

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the bundles.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "bundles",
		Text:  "The bundles of courses that the caller teaches, drafts included.",
		From:  "{bundles}",
		Index: "bundles_of_educator",
		Owner: "educator_id",
		Key:   []exportlist.Field{{Column: "created_at", Type: exportlist.Time}, {Column: "id"}},
		Row:   "ExportedBundle",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "title", Column: "title", Text: "The title as it was written. Escape it."},
			{Name: "description", Column: "description",
				Text: "The description of the bundle, as it was written."},
			{Name: "price", Column: "price", Type: exportlist.Amount,
				Text: "The price of the bundle before its discount."},
			{Name: "discount", Column: "discount", Type: exportlist.Amount},
			{Name: "isPublished", Column: "is_published", Type: exportlist.Bool},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
			{Name: "updatedAt", Column: "updated_at", Type: exportlist.Time},
		},
	},
}
