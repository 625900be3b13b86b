package books;

record Book(long id, String title, String author, Integer year) {}
