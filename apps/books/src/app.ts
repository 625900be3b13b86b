import {
  App,
  FrameworkError,
  type HttpRequest,
  Response,
  ValidationError,
  ValueError,
} from "@framework/core";
import type { BookStore } from "./books/book-store.ts";
import { memoryBooks } from "./books/memory-books.ts";
import { bookRoutes } from "./books/routes.ts";

/** What the application keeps for its handlers. */
export interface BooksState {
  books: BookStore;
}

/** The books application with the features it composes. */
export class BooksApp extends App<BooksState> {}

/** Puts the application together; nothing listens yet. */
export const createBooksApp = (books: BookStore = memoryBooks()): BooksApp => {
  const app = new BooksApp();
  app.state.books = books;
  app
    .exceptionHandler(ValueError, (_request, error) =>
      Response.json({ error: "Invalid value", detail: error.detail }, { status: 400 }),
    )
    .exceptionHandler(ValidationError, refusedInput)
    .exceptionHandler(Error, () => Response.json({ error: "Internal server error" }, { status: 500 }))
    .onEvent("startup", ({ workers }) => {
      if (workers > 1 && books.isOfOneProcess)
        throw new FrameworkError(
          "BOOKS_IN_MEMORY",
          "books are kept in memory of one process; use --workers 1",
        );
    })
    .registerBlueprint(bookRoutes(books));
  return app;
};

/** A book without a title is answered in the words of the interface; every other mistake is listed by place. */
const refusedInput = ({ method }: HttpRequest, { issues, detail, status }: ValidationError): Response => {
  const lacksTitle = issues.some(
    ({ loc: [part, field] }) => part === "body" && (field === undefined || field === "title"),
  );
  if (method === "POST" && lacksTitle)
    return Response.json({ error: "Field 'title' is required" }, { status: 400 });
  return Response.json({ error: "Validation Failed", detail, status, errors: issues }, { status });
};
