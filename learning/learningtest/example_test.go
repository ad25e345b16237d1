package learningtest_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// exampleT takes the place of the *testing.T that a test has.
type exampleT struct {
	testing.TB
	cleanups []func()
}

func (*exampleT) Helper()            {}
func (*exampleT) Fatal(args ...any)  { log.Fatal(args...) }
func (t *exampleT) Cleanup(f func()) { t.cleanups = append([]func(){f}, t.cleanups...) }

func (t *exampleT) TempDir() string {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (t *exampleT) end() {
	for _, f := range t.cleanups {
		f()
	}
}

// A test buys a course. The sandbox takes the place of the payment gateway.
func ExampleNew() {
	t := &exampleT{} // in a test: the *testing.T
	defer t.end()

	kit := learningtest.New(t)
	ada := kit.Person(t, "ada", learning.Student)
	course := kit.Course(t, "sailing", 49_900)

	order, err := kit.Platform.OpenOrder(context.Background(), ada, course)
	if err != nil {
		t.Fatal(err)
	}
	payment, err := kit.Sandbox.Gateway().Pay(order.OrderID)
	if err != nil {
		t.Fatal(err)
	}
	err = kit.Platform.VerifyPayment(context.Background(), ada, learning.PaymentProof{
		OrderID: order.OrderID, PaymentID: payment.ID, Signature: kit.Sandbox.Gateway().Signature(order.OrderID, payment.ID)})
	if err != nil {
		t.Fatal(err)
	}
	enrolled, err := kit.Platform.EnrolledCourses(context.Background(), ada)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("ada is enrolled in", enrolled[0].Title)
	// Output: ada is enrolled in Course sailing
}
