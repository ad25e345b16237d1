package main

import (
	"os"
	"strings"
	"testing"
)

// storefrontJob is the result of one job of testdata/browser/storefront.mjs.
type storefrontJob struct {
	Name     string
	Problems []string
	Note     string  // figures to print
	Seconds  float64 // printed, and not compared with anything, because the machine may be busy
}

// TestStorefront_WorksInABrowser opens every page of the storefront as each role, on a phone and
// on a large screen, in both themes, and does what a user does, in a browser. On a server it does
// what a database may change: pages, payments, refunds and searches. To run a part of it, set
// STOREFRONT_JOB to a regular expression of names of jobs; for pictures of the pages, set
// STOREFRONT_SCREENSHOTS to a folder.
func TestStorefront_WorksInABrowser(t *testing.T) {
	c := needChromium(t)
	onDatabases(t, func(t *testing.T, database string) {
		testStorefrontInABrowser(t, database, c)
	})
}

func testStorefrontInABrowser(t *testing.T, database string, c chromium) {
	t.Helper()
	origin := freeOrigin(t, "localhost")
	var jobs []storefrontJob
	t.Cleanup(func() { reportJobs(t, jobs) }) // after the log of the server, which is long
	b := startForBrowsers(t, "--storefront", "--frontend-origin="+origin, database)
	look := ""
	if strings.HasPrefix(database, "--database=sqlite:") {
		look = "look"
	}
	c.run(t, "storefront.mjs", &jobs, origin, b.api, b.sandbox, look, os.Getenv("STOREFRONT_JOB"))
	for _, job := range jobs {
		if len(job.Problems) > 0 {
			t.Fail()
		}
	}
}

// TestStorefront_PaysAtStripe buys at the Stripe of the sandbox, which takes all payments.
func TestStorefront_PaysAtStripe(t *testing.T) {
	c := needChromium(t)
	origin := freeOrigin(t, "localhost")
	var jobs []storefrontJob
	t.Cleanup(func() { reportJobs(t, jobs) })
	b := startForBrowsers(t, "--storefront", "--frontend-origin="+origin, "--stripe-currencies=INR")
	c.run(t, "storefront.mjs", &jobs, origin, b.api, b.sandbox, "stripe",
		os.Getenv("STOREFRONT_JOB"))
	if len(jobs) == 0 && os.Getenv("STOREFRONT_JOB") == "" {
		t.Error("nothing was bought")
	}
}

// reportJobs prints the problems last: logs of long runs are cut at their beginning.
func reportJobs(t *testing.T, jobs []storefrontJob) {
	t.Helper()
	for _, job := range jobs {
		t.Logf("%s: %.1f s %s", job.Name, job.Seconds, job.Note)
	}
	for _, job := range jobs {
		for _, problem := range job.Problems {
			t.Errorf("%s: %s", job.Name, problem)
		}
	}
}
