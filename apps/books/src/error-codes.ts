import type { ErrorCatalogue } from "@framework/core/feature";

/** Error codes of the service; those with a status are in replies as `code`. `framework explain BOOKS_LENT` shows one. */
export const booksErrors = {
  BOOKS_LENT: {
    status: 409,
    summary: "the book is lent, so it can be neither lent again nor removed",
    action: "wait until it is returned: GET /shelf says when it is due",
  },
  BOOKS_NOT_LENT: {
    status: 409,
    summary: "a book was returned that nobody has",
    action: "read GET /shelf; a repeated request with the idempotency key of the first is no error",
  },
  BOOKS_NO_BOOK: {
    status: 404,
    summary: "there is no book with that id",
    action: "read the ids from GET /books",
  },
  BOOKS_WRONG_REBUILD: {
    summary:
      "`BOOKS_REBUILD` is lower than it was when the live views were made, or more than one higher, so no process would keep them up to date",
    action: "set it to a number in the message; raise it again when the views of the last time are live",
  },
} as const satisfies ErrorCatalogue;
