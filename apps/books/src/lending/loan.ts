import { decider, eventType } from "@framework/event-sourcing";
import { z } from "zod";
import { LendingError } from "./lending-error.ts";

const loan = { book: z.int(), member: z.string(), dueAt: z.iso.datetime() };

export const BookBorrowed = eventType("BookBorrowed", z.object(loan));
export const BookReturned = eventType("BookReturned", z.object({ book: loan.book, member: loan.member }));
export const MemberReminded = eventType("MemberReminded", z.object(loan));

/** The event types of loans. */
export const loanEvents = [BookBorrowed, BookReturned, MemberReminded];

/** State of a book's loan: `null` while the book is not on loan. */
type LoanState = {
  readonly member: string;
  readonly dueAt: string;
  readonly isReminded: boolean;
} | null;

/** Commands that the decider handles. */
type LoanCommand =
  | { readonly kind: "borrow"; readonly book: number; readonly member: string; readonly dueAt: string }
  | { readonly kind: "return"; readonly book: number }
  | { readonly kind: "remind"; readonly book: number; readonly dueAt: string };

/** The loans of one book; stream `loan-7` for book 7. Plain functions without a clock, a database or an app. */
export const Loan = decider({
  name: "loan",
  events: loanEvents,
  initialState: (): LoanState => null,

  decide(command: LoanCommand, state) {
    const { book } = command;
    switch (command.kind) {
      case "borrow": {
        if (state !== null) throw new LendingError("BOOKS_ON_LOAN");
        return BookBorrowed({ book, member: command.member, dueAt: command.dueAt });
      }
      case "return": {
        if (state === null) throw new LendingError("BOOKS_NOT_ON_LOAN");
        return BookReturned({ book, member: state.member });
      }
      case "remind": {
        // The job may run late or twice: remind once, and only for the loan with this due date.
        if (state === null || state.isReminded || state.dueAt !== command.dueAt) return [];
        return MemberReminded({ book, member: state.member, dueAt: state.dueAt });
      }
    }
  },

  evolve(state, event): LoanState {
    switch (event.type) {
      case "BookBorrowed":
        return { member: event.data.member, dueAt: event.data.dueAt, isReminded: false };
      case "BookReturned":
        return null;
      case "MemberReminded":
        return state && { ...state, isReminded: true };
    }
  },
});
