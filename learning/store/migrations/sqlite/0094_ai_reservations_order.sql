-- Reservations of calls that crashed long ago are found by this time.
CREATE INDEX ai_reservations_by_lease ON ai_reservations (lease_until);
