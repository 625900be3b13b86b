-- Words of titles and authors in lower case, as JavaScript makes it: filled by the worker that gets `book.created`.
CREATE TABLE book_words (
  word TEXT NOT NULL,
  book BIGINT NOT NULL,
  PRIMARY KEY (word, book)
);
