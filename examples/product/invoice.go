package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net/http"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/store"
)

// writeInvoices writes the invoice of each purchase in the transaction that completes it, so that
// there is no purchase without one. The numbers of a year have no gaps, because a transaction that
// is rolled back gives its number back.
func writeInvoices(ctx context.Context, tx core.HostTx, events []learning.Event) error {
	db := store.SQL(tx)
	for _, e := range events {
		if e.Type != purchase.EventCompleted || e.Data.Amount == 0 {
			continue
		}
		year, number := e.CreatedAt.Year(), 0
		err := db.QueryRowContext(ctx, `INSERT INTO invoice_numbers (year, last) VALUES ($1, 1)
			ON CONFLICT (year) DO UPDATE SET last = invoice_numbers.last + 1 RETURNING last`,
			year).Scan(&number)
		if err != nil {
			return fmt.Errorf("take the number of an invoice: %w", err)
		}
		_, err = db.ExecContext(ctx, `INSERT INTO invoices
			(number, purchase_id, account_id, course, amount, currency, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, fmt.Sprintf("%d-%05d", year, number),
			e.Data.PurchaseID, e.Data.UserID, e.Data.CourseTitle, int64(e.Data.Amount),
			e.Data.Currency, e.CreatedAt)
		if err != nil {
			return fmt.Errorf("write an invoice: %w", err)
		}
	}
	return nil
}

// invoice is an invoice as the product shows it.
type invoice struct {
	Number   string `json:"number"`
	Course   string `json:"course"`
	Amount   int64  `json:"amount"` // in the smallest unit of the currency
	Currency string `json:"currency"`
}

// invoicesOf lists the invoices of an account, the first number first.
func invoicesOf(ctx context.Context, db *sql.DB, accountID string) ([]invoice, error) {
	rows, err := db.QueryContext(ctx, `SELECT number, course, amount, currency FROM invoices
		WHERE account_id = $1 ORDER BY number`, accountID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []invoice{} // not null in JSON
	for rows.Next() {
		var i invoice
		if err := rows.Scan(&i.Number, &i.Course, &i.Amount, &i.Currency); err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, rows.Err()
}

// invoiceRoute is a route of the product below the prefix of the school, with its sign-in, its
// answers to errors and its log line.
func invoiceRoute(db *sql.DB) httpapi.Route {
	return httpapi.Route{ID: "product.invoices", Method: http.MethodGet, Path: "/api/invoices",
		Access: httpapi.SignedIn, Summary: "List the invoices of the caller",
		Do: httpapi.HandleFunc(func(w http.ResponseWriter, r *http.Request) error {
			list, err := invoicesOf(r.Context(), db, httpapi.ActorFrom(r.Context()).UserID)
			if err != nil {
				return fmt.Errorf("list invoices: %w", err)
			}
			w.Header().Set("Content-Type", "application/json")
			return json.NewEncoder(w).Encode(map[string]any{"success": true, "invoices": list})
		})}
}

// fail answers 500 and logs the cause.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	log.Printf("%s %s: %v", w.Header().Get("X-Request-Id"), r.URL.Path, err)
	http.Error(w, "an unexpected error occurred", http.StatusInternalServerError)
}
