package books;

import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.PositiveOrZero;

record NewBook(@NotEmpty String title, String author, @PositiveOrZero Integer year) {
  NewBook {
    if (author == null) author = "Unknown";
  }
}
