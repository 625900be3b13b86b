-- Copies of a book that are for sale; a book without a row has none.
CREATE TABLE stock (
  book BIGINT PRIMARY KEY,
  copies BIGINT NOT NULL CHECK (copies >= 0)
);
