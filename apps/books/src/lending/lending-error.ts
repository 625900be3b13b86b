import { HttpError } from "@framework/core";
import { booksErrors } from "../error-codes.ts";

type LendingCode = Exclude<keyof typeof booksErrors, "BOOKS_WRONG_REBUILD">; // fails the start

const details: Readonly<Record<LendingCode, string>> = {
  BOOKS_NO_BOOK: "Book not found",
  BOOKS_LENT: "The book is lent",
  BOOKS_NOT_LENT: "The book is not lent",
};

/** An error of the lending rules: a 404 or 409 whose body has the code, since one status has several reasons. */
export class LendingError extends HttpError {
  override readonly name = "LendingError";
  override readonly extras: Readonly<Record<string, unknown>>;

  constructor(code: LendingCode) {
    super(booksErrors[code].status, details[code], { code });
    this.extras = { code };
  }
}
