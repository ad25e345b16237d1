-- Leases that expired long ago are found by this time.
CREATE INDEX leases_by_expiry ON leases (expires_at);
