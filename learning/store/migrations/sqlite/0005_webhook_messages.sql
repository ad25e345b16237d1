-- Messages of the identity provider that were seen, for some days.
CREATE TABLE webhook_messages (
	id VARCHAR(191) NOT NULL,
	received_at DATETIME NOT NULL,
	PRIMARY KEY (id)
) WITHOUT ROWID;
CREATE INDEX webhook_messages_by_time ON webhook_messages (received_at);
