import type { Job } from "@framework/jobs";
import { z } from "zod";
import type { BooksApp } from "../books-app.ts";
import { RemindMember } from "./commands.ts";
import { Instant } from "./fields.ts";

const Due = z.object({ book: z.int(), dueAt: Instant });

/**
 * The job that reminds a member when a book is overdue: enqueued in the transaction that lends the book, cancelled in the one that takes it back.
 *
 * The other way is a cron schedule that looks for overdue books in the view. A job for each loan runs when the loan is due and not at the next run,
 * needs no search and no mark of the loans that were seen, and is as certain as the loan, since one transaction has both.
 */
export const overdueReminder = (app: BooksApp): Job<typeof Due> =>
  app.jobs.define(
    "remind-member",
    { input: Due, uniqueKey: ({ book }) => reminderKey(book) },
    async ({ book, dueAt }, { invocation }) => {
      // The command reminds once, although a job may run again. A service that sends mails does it here, before, with a key of the loan.
      await app.cqrs.execute(RemindMember, { id: book, dueAt }, { from: invocation });
    },
  );

/** A book has one loan at a time, and so one reminder. */
export const reminderKey = (book: number): string => `book ${book}`;
