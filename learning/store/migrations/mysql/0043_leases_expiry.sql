-- Leases that expired long ago are found by this time.
ALTER TABLE leases ADD KEY leases_by_expiry (expires_at);
