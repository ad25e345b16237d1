// Package text checks and makes the texts that every database can store: texts of people, ids,
// slugs and the keys of names. It knows no noun, and refuses nothing itself: its functions report,
// and the operation that asks answers.
package text
