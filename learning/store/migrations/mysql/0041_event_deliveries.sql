-- Events and their deliveries: a row for each event and target. seq is the position of the event among those of its
-- subject. shard is the part of a target's events that one lease covers. status_at is when a pending event is due,
-- and the time of the change to any other status.
CREATE TABLE IF NOT EXISTS event_deliveries (
	id VARCHAR(64) NOT NULL,
	target VARCHAR(32) NOT NULL,
	shard VARCHAR(40) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	seq BIGINT NOT NULL,
	type VARCHAR(40) NOT NULL,
	data TEXT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	status VARCHAR(16) NOT NULL,
	status_at DATETIME(6) NOT NULL,
	attempts BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	PRIMARY KEY (id, target),
	UNIQUE KEY event_deliveries_order (target, subject, seq),
	KEY event_deliveries_due (shard, status, status_at, subject)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
