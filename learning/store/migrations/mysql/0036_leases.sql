-- Exclusive rights that end by themselves: an order that is being opened, an application that is being reviewed, a slot
-- at the AI. The row is deleted when its holder releases the lease; an expired lease may be taken over.
CREATE TABLE IF NOT EXISTS leases (
	name VARCHAR(255) NOT NULL,
	holder VARCHAR(64) NOT NULL,
	expires_at DATETIME(6) NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
