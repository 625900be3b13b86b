import type { HttpMiddleware } from "@framework/core";
import { decideWith } from "@framework/cqrs";
import type { BookStore, OnRemove } from "../books/book-store.ts";
import type { BooksApp } from "../books-app.ts";
import { BorrowBook, RemindMember, ReturnBook } from "./commands.ts";
import { LendingError } from "./lending-error.ts";
import { Loan } from "./loan.ts";
import { overdueReminder, reminderKey } from "./reminder.ts";
import { readOpenLoans, OpenLoans } from "./open-loans.ts";
import { readStatistics, Statistics } from "./statistics.ts";

const DAY_MS = 86_400_000;

export interface LendingOptions {
  readonly books: Pick<BookStore, "lock">;
  /** Middleware of the endpoints of commands, such as authentication. */
  readonly protection: readonly HttpMiddleware[];
  readonly loanDays: number;
  /** Returns the current time in Unix milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** Returned by `enableLending`. */
export interface Lending {
  /** Throws in the transaction that removes a book, if the book is on loan. @throws LendingError BOOKS_ON_LOAN */
  readonly checkReturned: OnRemove;
}

/** Adds lending: commands, queries and the reminder. */
export const enableLending = (
  app: BooksApp,
  { books, protection, loanDays, now = Date.now }: LendingOptions,
): Lending => {
  const reminder = overdueReminder(app);

  app.cqrs
    .handle(BorrowBook, { use: protection }, async ({ id, member }, { tx, events }) => {
      if (!(await books.lock(tx, id))) throw new LendingError("BOOKS_NO_BOOK");
      const loan = { book: id, member, dueAt: new Date(now() + loanDays * DAY_MS).toISOString() };
      await events.aggregate(Loan, String(id)).execute({ kind: "borrow", ...loan });
      await reminder.enqueue({ book: id, dueAt: loan.dueAt }, { tx, runAt: new Date(loan.dueAt) });
      return loan;
    })
    .handle(ReturnBook, { use: protection }, async ({ id }, { tx, events }) => {
      await events.aggregate(Loan, String(id)).execute({ kind: "return", book: id });
      await reminder.cancel({ uniqueKey: reminderKey(id) }, { tx });
    })
    .handle(
      RemindMember,
      decideWith(Loan, {
        id: ({ id }) => String(id),
        command: ({ id, dueAt }) => ({ kind: "remind", book: id, dueAt }),
      }),
    )
    .handle(OpenLoans, readOpenLoans)
    .handle(Statistics, readStatistics);

  return {
    checkReturned: async (tx, id) => {
      const { state } = await app.eventStore.aggregate(Loan, String(id)).load({ tx });
      if (state !== null) throw new LendingError("BOOKS_ON_LOAN");
    },
  };
};
