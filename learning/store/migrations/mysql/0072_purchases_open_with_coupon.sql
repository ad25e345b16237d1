-- For the open purchases that hold a redemption: those that are not paid in time release it.
ALTER TABLE purchases ADD KEY purchases_open_with_coupon (holds_coupon, is_open, created_at, id);
