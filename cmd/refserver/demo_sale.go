package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// demoSale is a purchase in the history. There is one for a student and a course.
type demoSale struct {
	moment
	Student string
	Course  string
	Status  purchase.Status // pending, completed, failed or refunded
	// number of lectures that the student has completed since, from the first on
	Lectures int
	Stars    int    // the student's rating; 0 for none
	Review   string // what the student wrote with the rating; "" for nothing
	// whether the student, who has completed all lectures, has got the certificate
	Certificate bool
}

// id returns an id that is the same in every run of the seeder, so that the order of a
// pending sale is opened once.
func (s demoSale) id() string {
	return uuid.NewSHA1(uuid.NameSpaceURL,
		[]byte("openlectern:demo/"+s.Student+"/"+s.Course+"/"+string(s.Status))).String()
}

// enrols reports whether the student was enrolled by the sale.
func (s demoSale) enrols() bool {
	return s.Status == purchase.Completed || s.Status == purchase.Refunded
}

// seedSales seeds each sale with the studies that it has allowed.
func (sd *seeder) seedSales(ctx context.Context) error {
	for _, s := range sd.Sales {
		// The order is that of real life: the purchase, the studies, and the refund that ends them.
		if err := sd.seedSale(ctx, s); err != nil {
			return fmt.Errorf("sale of %s to %s: %w", s.Course, s.Student, err)
		}
		if !s.enrols() {
			continue
		}
		if err := sd.seedStudies(ctx, s); err != nil {
			return fmt.Errorf("studies of %s in %s: %w", s.Student, s.Course, err)
		}
		if s.Status != purchase.Refunded {
			continue
		}
		if err := sd.endEnrollment(ctx, s); err != nil {
			return fmt.Errorf("refund of %s to %s: %w", s.Course, s.Student, err)
		}
	}
	return nil
}

// seedStudies adds what the student has done in the course since the sale.
func (sd *seeder) seedStudies(ctx context.Context, s demoSale) error {
	if err := sd.seedProgress(ctx, s); err != nil {
		return fmt.Errorf("progress: %w", err)
	}
	if err := sd.seedAttempts(ctx, s); err != nil {
		return fmt.Errorf("quizzes: %w", err)
	}
	if err := sd.seedHandAttempts(ctx, s); err != nil {
		return fmt.Errorf("quizzes by hand: %w", err)
	}
	if err := sd.seedSubmissions(ctx, s); err != nil {
		return fmt.Errorf("assignments: %w", err)
	}
	if err := sd.seedCertificate(ctx, s); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}

// seedSale seeds a sale at its time, with the enrolment if there was one.
func (sd *seeder) seedSale(ctx context.Context, s demoSale) error {
	sd.clock.at = s.date(sd.now)
	if s.Status == purchase.Completed {
		return sd.completeSale(ctx, s)
	}
	return sd.insertSale(ctx, s)
}

// completeSale opens an order and pays it, by the operations of the platform. The sandbox is told
// of the payment later: see sd.paid.
func (sd *seeder) completeSale(ctx context.Context, s demoSale) error {
	order, err := sd.past.Sales.OpenOrder(ctx, demoActor(s.Student),
		sale.OrderRequest{CourseID: s.Course})
	if err != nil {
		return err
	}
	if order.OrderID == "" { // the course is free, and the purchase complete without a payment
		return nil
	}
	paid := payment.Payment{ID: "pay_" + order.PurchaseID, OrderID: order.OrderID,
		PurchaseID: order.PurchaseID, Amount: &order.Amount, Currency: order.Currency,
		Captured: true}
	sd.paid = append(sd.paid,
		sandbox.PastPayment{ID: paid.ID, OrderID: paid.OrderID, PurchaseID: paid.PurchaseID,
			Amount: int64(order.Amount), Currency: paid.Currency,
			CreatedAt: sd.clock.at.Unix()})
	return sd.past.System().CapturePayment(ctx, paid)
}

// insertSale stores a pending, failed or refunded sale, because no operation creates one
// with an id of the caller. A refunded sale was completed before, so its enrolment is
// stored too; endEnrollment ends it.
func (sd *seeder) insertSale(ctx context.Context, s demoSale) error {
	c, err := sd.tx.Course(ctx, s.Course)
	if err != nil {
		return err
	}
	// What all have; then what the status adds.
	p := purchase.Purchase{ID: s.id(), UserID: s.Student, CourseID: s.Course,
		Amount: c.FinalPrice(), Currency: sd.currency,
		OrderID: "order_" + s.id(), Status: s.Status, CreatedAt: sd.clock.at,
		UpdatedAt: sd.clock.at}
	switch s.Status {
	case purchase.Failed:
		p.OrderID = "" // so that the gateway, which does not know it, is not asked
	case purchase.Pending: // its order can still be paid, so the gateway must know it
		p.OrderID, err = sd.openOrder(ctx,
			payment.NewOrder{Amount: p.Amount, Currency: p.Currency, PurchaseID: p.ID,
				Title: c.Title})
		if err != nil {
			return err
		}
	case purchase.Refunded:
		p.PaymentID = "pay_" + s.id()
		p.CompletedAt = sd.clock.at
		p.RefundedAmount = p.Amount
	}
	if err := sd.tx.InsertPurchase(ctx, p); err != nil {
		return err
	}
	if s.Status != purchase.Refunded { // a pending or failed one has no other rows
		return nil
	}
	// A refunded sale was paid: the sandbox must know the payment and the refund.
	sd.paid = append(sd.paid,
		sandbox.PastPayment{ID: p.PaymentID, OrderID: p.OrderID, PurchaseID: p.ID,
			Amount: int64(p.Amount), Currency: p.Currency,
			CreatedAt: p.CreatedAt.Unix(), RefundID: "rfnd_" + s.id()})
	// Store the refund as the gateway has reported it.
	err = sd.tx.InsertRefund(ctx,
		refund.Refund{ID: "refund_" + s.id(), PurchaseID: p.ID, PaymentID: p.PaymentID,
			ProviderID: "rfnd_" + s.id(),
			Amount:     p.Amount, Currency: p.Currency, Status: payment.RefundProcessed,
			CreatedAt: p.CreatedAt, UpdatedAt: p.CreatedAt})
	if err != nil {
		return err
	}
	// Enrol the student, for the time until the refund.
	if err := sd.tx.AddToStudentCount(ctx, s.Course, 1); err != nil {
		return err
	}
	return sd.tx.InsertEnrollment(ctx,
		study.Enrollment{UserID: s.Student, CourseID: s.Course, PurchaseID: p.ID,
			CreatedAt: p.CreatedAt})
}

// endEnrollment ends the enrolment of a refunded sale, after the studies of the student.
func (sd *seeder) endEnrollment(ctx context.Context, s demoSale) error {
	e, err := sd.tx.Enrollment(ctx, s.Student, s.Course)
	if err != nil {
		return err
	}
	// Move the enrolment to the past ones, halfway between the sale and now, and correct the kept
	// total.
	past := study.PastEnrollment{
		ID: "ended_" + s.id(), Enrollment: e, EndedAt: s.between(sd.now, 1, 2),
		EndReason: "The purchase was refunded",
	}
	if err := sd.tx.InsertPastEnrollment(ctx, past); err != nil {
		return err
	}
	if _, err := sd.tx.DeleteEnrollment(ctx, s.Student, s.Course); err != nil {
		return err
	}
	return sd.tx.AddToStudentCount(ctx, s.Course, -1)
}

// seedProgress completes lectures and rates the course, at times that are spread evenly
// between the sale and now.
func (sd *seeder) seedProgress(ctx context.Context, s demoSale) error {
	lectures, err := sd.tx.LectureIDs(ctx, s.Course)
	if err != nil {
		return err
	}
	// Each lecture and the rating take an equal part of the time since the sale. The last part, up
	// to now, stays empty.
	student, parts := demoActor(s.Student), s.Lectures+2
	for i, id := range lectures[:min(s.Lectures, len(lectures))] {
		sd.clock.at = s.between(sd.now, i+1, parts)
		if _, err := sd.past.Study.CompleteLecture(ctx, student, s.Course, id); err != nil {
			return err
		}
	}
	if s.Stars == 0 {
		return nil
	}
	sd.clock.at = s.between(sd.now, s.Lectures+1, parts)
	if s.Review == "" {
		return sd.past.Community.Rate(ctx, student, s.Course, s.Stars)
	}
	return sd.past.Community.Review(ctx, student,
		community.NewReview{CourseID: s.Course, Stars: s.Stars, Text: s.Review})
}

// seedCertificate issues the certificate of a sale, if it has one, at the time of the rating: see
// seedProgress.
func (sd *seeder) seedCertificate(ctx context.Context, s demoSale) error {
	if !s.Certificate {
		return nil
	}
	sd.clock.at = s.between(sd.now, s.Lectures+1, s.Lectures+2)
	_, err := sd.past.Certify.GenerateCertificate(ctx, demoActor(s.Student), s.Course)
	return err
}
