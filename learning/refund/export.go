package refund

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the refunds and disputes.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "refunds",
		Text:  "The refunds of these purchases.",
		From:  "{purchases} p JOIN {refunds} r ON r.purchase_id = p.id",
		Owner: "p.user_id",
		Key:   []exportlist.Field{{Column: "p.id"}, {Column: "r.id"}},
		Row:   "ExportedRefund",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "r.id"},
			{Name: "purchaseId", Column: "r.purchase_id"},
			{Name: "amount", Column: "r.amount", Type: exportlist.Money,
				Text: "The amount in major units of the currency."},
			{Name: "currency", Column: "r.currency"},
			{Name: "status", Column: "r.status", Values: []string{"pending", "processed", "failed"},
				Text: "The state of the refund."},
			{Name: "providerRefundId", Column: "r.provider_id", Type: exportlist.Nullable,
				Text: "The id of the refund at the payment gateway. Null if it is not known."},
			{Name: "reason", Column: "r.reason", Type: exportlist.Nullable,
				Text: "The reason that was given. Null if there is none."},
			{Name: "createdAt", Column: "r.created_at", Type: exportlist.Time},
			{Name: "updatedAt", Column: "r.updated_at", Type: exportlist.Time},
		},
	},
	{
		Name: "refundLines",
		Text: "The parts of these refunds that courses of bundles have.",
		From: "{purchases} p JOIN {refunds} r ON r.purchase_id = p.id " +
			"JOIN {refund_lines} s ON s.refund_id = r.id",
		Owner: "p.user_id",
		Key:   []exportlist.Field{{Column: "p.id"}, {Column: "r.id"}, {Column: "s.line_id"}},
		Row:   "ExportedRefundLine",
		Fields: []exportlist.Field{
			{Name: "refundId", Column: "s.refund_id"},
			{Name: "lineId", Column: "s.line_id", Text: "The id of the line of the purchase."},
			{Name: "amount", Column: "s.amount", Type: exportlist.Money,
				Text: "The amount in major units of the currency."},
			{Name: "currency", Column: "r.currency"},
		},
	},
	{
		Name:  "disputes",
		Text:  "What banks objected to of these purchases.",
		From:  "{purchases} p JOIN {disputes} d ON d.purchase_id = p.id",
		Owner: "p.user_id",
		Key:   []exportlist.Field{{Column: "p.id"}, {Column: "d.id"}},
		Row:   "ExportedDispute",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "d.id"},
			{Name: "purchaseId", Column: "d.purchase_id"},
			{Name: "amount", Column: "d.amount", Type: exportlist.Money,
				Text: "The amount in major units of the currency."},
			{Name: "currency", Column: "d.currency"},
			{Name: "status", Column: "d.status", Values: []string{"open", "won", "lost"},
				Text: "'won' means that the payment stays."},
			{Name: "providerDisputeId", Column: "d.provider_id",
				Text: "The id of the dispute at the payment provider."},
			{Name: "reason", Column: "d.reason", Text: "In the words of the provider."},
			{Name: "createdAt", Column: "d.created_at", Type: exportlist.Time},
			{Name: "updatedAt", Column: "d.updated_at", Type: exportlist.Time},
		},
	},
}
