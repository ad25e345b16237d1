-- The effects of identity events are idempotent by themselves, so message ids are not stored any more.
DROP TABLE IF EXISTS webhook_messages;
