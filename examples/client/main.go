// Command client buys a course with a client that was generated from the API document:
//
//	go run ./cmd/refserver    # in another terminal
//	go run ./examples/client
//
// The package lectern is generated code. After a change of the API, with a server that runs:
//
//	go generate ./examples/client
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/openlectern/openlectern/examples/client/lectern"
)

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config generate.yaml http://localhost:3000/openapi.json

func main() {
	api := flag.String("api", "http://localhost:3000", "the base URL of the API")
	sandbox := flag.String("sandbox", "http://localhost:3001", "the base URL of the sandbox")
	user := flag.String("user", "user_student", "the id of the user who buys")
	flag.Parse()
	if err := run(context.Background(), *api, *sandbox, *user, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run signs the user in at the sandbox, buys the first course that the user can buy, and prints
// the user's courses.
func run(ctx context.Context, api, sandbox, user string, out io.Writer) error {
	token, err := signIn(ctx, sandbox, user)
	if err != nil {
		return err
	}
	// Every request of the client carries the token.
	client, err := lectern.NewClientWithResponses(api,
		lectern.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		return err
	}
	if err := buyFirst(ctx, client, sandbox, out); err != nil {
		return err
	}
	own, err := client.EnrollmentListWithResponse(ctx)
	if err := failure(err, own); err != nil {
		return err
	}
	for _, course := range own.JSON200.EnrolledCourses {
		fmt.Fprintf(out, "enrolled in %s, %d minutes\n", course.Title, course.TotalDurationMinutes)
	}
	return nil
}

// buyFirst buys the first course of the catalogue that the user does not own, if there is one.
func buyFirst(ctx context.Context, client *lectern.ClientWithResponses, sandbox string,
	out io.Writer) error {
	catalogue, err := client.CourseListWithResponse(ctx)
	if err := failure(err, catalogue); err != nil {
		return err
	}
	for _, course := range catalogue.JSON200.Courses {
		// 409 means that the user owns the course: try the next one.
		order, err := client.PurchaseCreateWithResponse(ctx,
			lectern.PurchaseRequest{CourseID: &course.ID})
		if err == nil && order.JSON409 != nil {
			fmt.Fprintf(out, "%s: %s\n", course.CourseTitle, order.JSON409.Message)
			continue
		}
		if err := failure(err, order); err != nil {
			return err
		}
		fmt.Fprintf(out, "buying %s for %d %s (minor units)\n", course.CourseTitle,
			order.JSON200.Amount, order.JSON200.Currency)
		return pay(ctx, client, sandbox, order.JSON200.OrderID)
	}
	return nil
}

// pay pays an order at the checkout of the sandbox, and sends the proof to the API. The order of
// a free course is "" and needs no payment.
func pay(ctx context.Context, client *lectern.ClientWithResponses, sandbox, order string) error {
	if order == "" {
		return nil
	}
	proof, err := checkout(ctx, sandbox, order)
	if err != nil {
		return err
	}
	verified, err := client.PurchaseVerifyWithResponse(ctx, proof)
	return failure(err, verified)
}

// failure returns the error of a request, or an error for any answer other than a success; nil for
// a success. answer is not used if err is not nil.
func failure(err error, answer interface {
	Status() string
	StatusCode() int
	GetBody() []byte
}) error {
	if err != nil || answer.StatusCode() == http.StatusOK {
		return err
	}
	var body lectern.Failure
	_ = json.Unmarshal(answer.GetBody(), &body) // a proxy may have answered
	return fmt.Errorf("%s: %s", answer.Status(), body.Message)
}
