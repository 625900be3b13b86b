package books;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Repository;

@Repository
class BookStore {
  private final List<Book> books = new ArrayList<>();

  synchronized List<Book> page(int page, int size) {
    return books.stream().skip((page - 1L) * size).limit(size).toList();
  }

  synchronized int total() {
    return books.size();
  }

  synchronized Optional<Book> find(long id) {
    return books.stream().filter(book -> book.id() == id).findFirst();
  }

  /** Adds a book; empty if a book with the same title and author exists. */
  synchronized Optional<Book> add(NewBook newBook) {
    var isThere =
        books.stream()
            .anyMatch(
                book ->
                    book.title().equals(newBook.title()) && book.author().equals(newBook.author()));
    if (isThere) return Optional.empty();
    var book = new Book(books.size() + 1, newBook.title(), newBook.author(), newBook.year());
    books.add(book);
    return Optional.of(book);
  }
}
