-- `genre_key` is the genre in lower case as JavaScript makes it: databases disagree on letters beyond ASCII.
CREATE TABLE books (
  id BIGINT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  author TEXT NOT NULL,
  genre TEXT NOT NULL,
  genre_key TEXT NOT NULL,
  year BIGINT
);
CREATE INDEX books_genre ON books (genre_key, id);
-- Ids have no gaps, through crashes and rollbacks too, which a sequence would leave.
CREATE TABLE book_counter (last BIGINT NOT NULL);
INSERT INTO book_counter (last) VALUES (0);
