-- kept_access is 1 if the host had decided that the enrolment stays after this refund, which was the last one of its purchase.
ALTER TABLE refunds ADD COLUMN kept_access TINYINT NOT NULL DEFAULT 0;
