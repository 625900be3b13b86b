import type { Job } from "@framework/jobs";
import { z } from "zod";
import type { BooksApp } from "../books-app.ts";
import { RemindMember } from "./commands.ts";
import { Instant } from "./fields.ts";

const Due = z.object({ book: z.int(), dueAt: Instant });

/**
 * The job that reminds a member when a book is overdue: enqueued in the transaction that lends the book, cancelled in the one that returns it.
 *
 * The alternative is a cron schedule that searches the view for overdue books. A job for each loan runs as soon as the loan is due, needs no search
 * and no record of loans already handled, and cannot be missing, since it is enqueued in the transaction of the loan.
 */
export const overdueReminder = (app: BooksApp): Job<typeof Due> =>
  app.jobs.define(
    "remind-member",
    { input: Due, uniqueKey: ({ book }) => reminderKey(book) },
    async ({ book, dueAt }, { invocation }) => {
      // A job may run twice, the command reminds once. To send an e-mail, do it here before the command, with an idempotency key for the loan.
      await app.cqrs.execute(RemindMember, { id: book, dueAt }, { from: invocation });
    },
  );

/** A book has at most one open loan, and so at most one reminder. */
export const reminderKey = (book: number): string => `book ${book}`;
