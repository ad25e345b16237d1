package sale

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the purchases and their lines.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "purchases",
		From:  "{purchases}",
		Index: "purchases_by_user",
		Owner: "user_id",
		Key:   []exportlist.Field{{Column: "id"}},
		Row:   "ExportedPurchase",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "courseId", Column: "course_id"},
			{Name: "amount", Column: "amount", Type: exportlist.Money,
				Text: "The amount in major units of the currency."},
			{Name: "refundedAmount", Column: "refunded_amount", Type: exportlist.Money,
				Text: "The sum of the processed refunds, in major units of the currency."},
			{Name: "currency", Column: "currency"},
			{Name: "status", Column: "status",
				Values: []string{"created", "pending", "completed", "failed", "refunded"},
				Text:   "The state of the purchase."},
			{Name: "providerOrderId", Column: "order_id", Type: exportlist.Nullable,
				Text: "The id of the order at the payment gateway. Null if there is no order."},
			{Name: "providerPaymentId", Column: "payment_id", Type: exportlist.Nullable,
				Text: "The id of the payment at the payment gateway. Null if it was not paid."},
			{Name: "couponId", Column: "coupon_id", Type: exportlist.Nullable,
				Text: "The coupon that the purchase was made with, or null."},
			{Name: "provider", Column: "provider", Type: exportlist.Nullable,
				Text: "What takes the payment. Null for the payment gateway, and for a free " +
					"course."},
			{Name: "listPrice", Column: "list_price", Type: exportlist.Money,
				Text: "The price before the discount and the coupon; 0 if it is not known."},
			{Name: "couponCode", Column: "coupon_code", Text: "The code of the coupon, or empty."},
			{Name: "source", Column: "source", Type: exportlist.Nullable,
				Text: "Where it was sold, if that was elsewhere, else null."},
			{Name: "reference", Column: "reference", Type: exportlist.Nullable,
				Text: "The number of the sale there, or null."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
			{Name: "updatedAt", Column: "updated_at", Type: exportlist.Time},
			{Name: "completedAt", Column: "completed_at", Type: exportlist.Maybe,
				Text: "When it was completed. Null if it was not."},
			{Name: "metadata", Column: "metadata", Type: exportlist.Metadata,
				Text: "What the host keeps with the purchase."},
		},
	},
	{
		Name:  "purchaseLines",
		Text:  "The courses of these purchases, if they are of bundles.",
		From:  "{purchases} p JOIN {purchase_lines} l ON l.purchase_id = p.id",
		Owner: "p.user_id",
		Key:   []exportlist.Field{{Column: "p.id"}, {Column: "l.id"}},
		Row:   "ExportedPurchaseLine",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "l.id"},
			{Name: "purchaseId", Column: "l.purchase_id"},
			{Name: "courseId", Column: "l.course_id"},
			{Name: "amount", Column: "l.amount", Type: exportlist.Money,
				Text: "The part of the price, in major units of the currency."},
			{Name: "refundedAmount", Column: "l.refunded_amount", Type: exportlist.Money,
				Text: "The part of the processed refunds, in major units of the currency."},
			{Name: "currency", Column: "p.currency"},
			{Name: "expiresAt", Column: "l.expires_at", Type: exportlist.Maybe,
				Text: "The end of the access that it gives. Null for no end."},
		},
	},
}
