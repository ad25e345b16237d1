package bucket_test

import (
	"context"
	"log"
	"net/http"

	"github.com/openlectern/openlectern/learning/media/bucket"
)

// A private bucket, whose files every server of a platform serves.
func Example() {
	address, err := bucket.ParseAddress(
		"s3://lectern/media?endpoint=https://s3.example.org&region=eu-central-1")
	if err != nil {
		log.Fatal(err)
	}
	key := bucket.Key{ID: "key-1", Secret: "from a safe place"}
	files, err := bucket.Open(context.Background(), address, key, "https://learn.example.com/media")
	if err != nil {
		log.Fatal(err) // it says what to do
	}
	defer files.Close()

	mux := http.NewServeMux() // of the platform, which gets learning.WithMedia(files)
	mux.Handle("/media/", http.StripPrefix("/media/", files))
}
