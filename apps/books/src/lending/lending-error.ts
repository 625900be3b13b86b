import { HttpError } from "@framework/core";
import { booksErrors } from "../error-codes.ts";

type LendingCode = Exclude<keyof typeof booksErrors, "BOOKS_INVALID_REBUILD">; // that one is a start error, never a reply

const details: Readonly<Record<LendingCode, string>> = {
  BOOKS_NO_BOOK: "Book not found",
  BOOKS_ON_LOAN: "The book is on loan",
  BOOKS_NOT_ON_LOAN: "The book is not on loan",
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
