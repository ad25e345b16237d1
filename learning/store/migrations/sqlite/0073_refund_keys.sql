-- The keys of requests for refunds, with their answers, so that a repeated request gets the same answer. outcome is '' until
-- the request is answered. status and refunded_amount are those of the purchase in the answer. body_hash tells a request
-- with another body.
CREATE TABLE refund_keys (
	purchase_id VARCHAR(64) NOT NULL,
	request_key VARCHAR(255) NOT NULL,
	body_hash VARCHAR(64) NOT NULL,
	refund_id VARCHAR(64) NULL,
	outcome VARCHAR(16) NOT NULL,
	status VARCHAR(16) NOT NULL,
	refunded_amount BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (purchase_id, request_key)
);
CREATE INDEX refund_keys_by_creation ON refund_keys (created_at);
