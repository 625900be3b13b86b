package books;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.URI;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/books")
class BooksController {
  record Page(List<Book> books, int total) {}

  private final BookStore books;

  BooksController(BookStore books) {
    this.books = books;
  }

  @GetMapping
  Page list(
      @RequestParam(defaultValue = "1") @Min(1) int page,
      @RequestParam(defaultValue = "20") @Min(1) @Max(100) int size) {
    return new Page(books.page(page, size), books.total());
  }

  @GetMapping("/{id}")
  Book find(@PathVariable long id) {
    return books
        .find(id)
        .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Book not found"));
  }

  @PostMapping
  ResponseEntity<Book> add(@Valid @RequestBody NewBook newBook) {
    var book =
        books
            .add(newBook)
            .orElseThrow(
                () -> new ResponseStatusException(HttpStatus.CONFLICT, "The book exists already"));
    return ResponseEntity.created(URI.create("/books/" + book.id())).body(book);
  }
}
