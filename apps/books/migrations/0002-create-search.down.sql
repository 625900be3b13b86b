DROP TABLE book_words;
