-- The coupon of a purchase, NULL without one. holds_coupon is 1 while the purchase is open or completed with a coupon,
-- and NULL when it has failed or was refunded: the unique key over it allows a user one redemption of a coupon.
ALTER TABLE purchases ADD COLUMN coupon_id VARCHAR(64) NULL;
ALTER TABLE purchases ADD COLUMN holds_coupon TINYINT NULL;
CREATE UNIQUE INDEX purchases_by_coupon ON purchases (coupon_id, user_id, holds_coupon);
