-- Reservations of calls that crashed long ago are found by this time.
ALTER TABLE ai_reservations ADD KEY ai_reservations_by_lease (lease_until);
