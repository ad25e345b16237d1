package papers

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the receipts and credit notes.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "papers",
		Text:  "The receipts and credit notes of these purchases.",
		From:  "{papers}",
		Index: "papers_by_user",
		Owner: "user_id",
		Key:   []exportlist.Field{{Column: "id"}},
		Row:   "ExportedPaper",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "purchaseId", Column: "purchase_id"},
			{Name: "refundId", Column: "refund_id", Type: exportlist.Nullable,
				Text: "The id of the refund, or null for a receipt."},
			{Name: "kind", Column: "kind", Values: []string{"receipt", "credit note", "reversal"},
				Text: "A reversal takes a credit note back whose refund has failed."},
			{Name: "number", Column: "paper_number", Type: exportlist.Nullable,
				Text: "The number, or null before it has one."},
			{Name: "amount", Column: "amount", Type: exportlist.Money,
				Text: "The amount in major units of the currency."},
			{Name: "currency", Column: "currency"},
			{Name: "buyerName", Column: "buyer_name", Type: exportlist.Nullable,
				Text: "The name that stands on it, or null."},
			{Name: "buyerAddress", Column: "buyer_address", Type: exportlist.Nullable,
				Text: "The address that stands on it, or null."},
			{Name: "buyerCountry", Column: "buyer_country", Type: exportlist.Nullable,
				Text: "The country that stands on it, or null."},
			{Name: "buyerTaxId", Column: "buyer_tax_id", Type: exportlist.Nullable,
				Text: "The tax id that stands on it, or null."},
			{Name: "soldAt", Column: "sold_at", Type: exportlist.Time,
				Text: "When the purchase was completed."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
			{Name: "numberedAt", Column: "numbered_at", Type: exportlist.Maybe,
				Text: "When it got its number. Null if it has none."},
		},
	},
}
