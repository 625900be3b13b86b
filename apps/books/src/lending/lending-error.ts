import { HttpError } from "@framework/core";

/** Every refusal of the lending ledger: code, status and text. */
const refusals = {
  BOOKS_NO_BOOK: [404, "Book not found"],
  BOOKS_LENT: [409, "The book is lent"],
  BOOKS_NOT_LENT: [409, "The book is not lent"],
} as const satisfies Readonly<Record<string, readonly [status: number, detail: string]>>;

/** A refusal of the domain: a 404 or 409 whose body has the code, since one status has several reasons. */
export class LendingError extends HttpError {
  override readonly name = "LendingError";
  override readonly extras: Readonly<Record<string, unknown>>;

  constructor(code: keyof typeof refusals) {
    const [status, detail] = refusals[code];
    super(status, detail, { code });
    this.extras = { code };
  }
}
