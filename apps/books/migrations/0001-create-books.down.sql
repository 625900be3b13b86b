DROP TABLE book_counter;
DROP TABLE books;
