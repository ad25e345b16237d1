-- For the open purchases that hold a redemption: those that are not paid in time release it.
CREATE INDEX purchases_open_with_coupon ON purchases (holds_coupon, is_open, created_at, id);
