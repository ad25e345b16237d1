package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/papers"
)

// paperRoutes returns the routes of receipts and of what stands on them.
func paperRoutes() []Route {
	return []Route{
		{ID: "billing.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/billing",
			Summary: "Show what stands on the caller's receipts",
			Description: "It is copied into the receipt of a purchase when that is completed. " +
				"Without it a receipt has the name of the user.",
			Do: do((*api).billing)},
		{ID: "billing.set", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/user/billing",
			Summary: "Save what stands on the caller's receipts",
			Description: "For later purchases: receipts that were made keep what stands on them. " +
				"It replaces all that was saved before.",
			Do: do((*api).setBilling)},
		{ID: "receipt.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/purchases/:purchaseId/receipt",
			Summary: "Send the receipt of a purchase",
			Description: "A PDF, for the buyer and for admins. It has its number within ten " +
				"seconds of the payment, and says the same always.",
			Errors: []error{papers.ErrReceiptNotFound, papers.ErrReceiptsNotConfigured},
			Do:     raw((*api).receipt).writing(pdfContent, nil)},
		{ID: "receipt.note", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/purchases/:purchaseId/credit-notes/:number",
			Summary: "Send a credit note of a purchase",
			Description: "A PDF, for the buyer and for admins. The number of a paper that takes a " +
				"credit note back is a `number` here too.",
			Errors: []error{papers.ErrReceiptNotFound, papers.ErrReceiptsNotConfigured},
			Do:     raw((*api).creditNote).writing(pdfContent, nil)},
		{ID: "receipt.link", Method: http.MethodGet, Access: Public,
			Path:    papers.LinkPath + ":paperId",
			Summary: "Send a receipt or a credit note, by its signed URL",
			Description: "The `url` of a receipt or a credit note in the list of purchases. It " +
				"works for 15 minutes, without a token, and in one piece only.",
			query: []parameter{
				{name: papers.UntilParameter, text: "When the URL ends, in Unix seconds.",
					schema: map[string]any{"type": "string"}},
				{name: papers.SignatureParameter, text: "The signature of the server.",
					schema: map[string]any{"type": "string"}},
			},
			Errors: []error{papers.ErrLinkExpired, papers.ErrReceiptNotFound,
				papers.ErrReceiptsNotConfigured},
			Do: raw((*api).linkedPaper).writing(pdfContent, nil)},
	}
}
