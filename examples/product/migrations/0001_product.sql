-- +goose Up
CREATE TABLE accounts (
	id TEXT PRIMARY KEY,
	email TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	password BYTEA NOT NULL,
	role TEXT NOT NULL DEFAULT 'student'
);

CREATE TABLE sessions (
	token BYTEA PRIMARY KEY, -- a hash, so that a reader of the table cannot use it
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	ends_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE invoice_numbers (
	year INTEGER PRIMARY KEY,
	last INTEGER NOT NULL
);

CREATE TABLE invoices (
	number TEXT PRIMARY KEY,
	purchase_id TEXT NOT NULL UNIQUE,
	account_id TEXT NOT NULL,
	course TEXT NOT NULL,
	amount BIGINT NOT NULL,
	currency TEXT NOT NULL,
	created_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX invoices_of_account ON invoices (account_id, number);

CREATE TABLE sent_mails (
	event_id TEXT PRIMARY KEY
);
