-- The slots at the AI are in the table leases. Those that were taken are free afterwards, as if they had expired.
DROP TABLE IF EXISTS ai_claims;
