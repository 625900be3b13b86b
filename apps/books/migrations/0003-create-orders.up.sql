-- Copies of a book that are for sale; a book without a row has none.
CREATE TABLE stock (
  book BIGINT NOT NULL PRIMARY KEY,
  copies BIGINT NOT NULL CHECK (copies >= 0)
);
-- Payments of the demo payment service, by idempotency key.
CREATE TABLE demo_payments (
  key TEXT NOT NULL PRIMARY KEY,
  attempts BIGINT NOT NULL,
  cents BIGINT NOT NULL,
  state TEXT NOT NULL
);
