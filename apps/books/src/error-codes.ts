import type { ErrorCatalogue } from "@framework/core/feature";

/** Error codes of the service; codes with a status appear as `code` in replies. `framework explain BOOKS_ON_LOAN` describes one. */
export const booksErrors = {
  BOOKS_ON_LOAN: {
    status: 409,
    summary: "the book is on loan, so it can be neither borrowed nor deleted",
    action: "wait until it is returned: GET /loans/open shows when it is due",
  },
  BOOKS_NOT_ON_LOAN: {
    status: 409,
    summary: "the book to return is not on loan",
    action: "check GET /loans/open; to repeat a request safely, send the idempotency key of the first",
  },
  BOOKS_NO_BOOK: {
    status: 404,
    summary: "there is no book with that id",
    action: "get the ids from GET /books",
  },
  BOOKS_INVALID_REBUILD: {
    summary:
      "`BOOKS_REBUILD` is lower than when the live views were built, or more than one higher, so no process would keep them up to date",
    action:
      "set it to a number from the message; raise it again only when the views of the last rebuild are live",
  },
} as const satisfies ErrorCatalogue;
