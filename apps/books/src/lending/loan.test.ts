import { given } from "@framework/event-sourcing/testing";
import { test } from "@jest/globals";
import { BookBorrowed, BookReturned, Loan, MemberReminded } from "./loan.ts";

const [book, member, dueAt] = [7, "ann", "2026-01-15T00:00:00.000Z"];
const borrowed = BookBorrowed({ book, member, dueAt });
const returned = BookReturned({ book, member });
const reminded = MemberReminded({ book, member, dueAt });
const borrow = { kind: "borrow", book, member, dueAt } as const;
const giveBack = { kind: "return", book } as const;
const remind = { kind: "remind", book, dueAt } as const;

test("a book without a loan can be borrowed", () => {
  given(Loan).when(borrow).thenEvents(borrowed);
  given(Loan, borrowed, returned).when(borrow).thenEvents(borrowed);
});

test("a book on loan cannot be borrowed, not even by its borrower", () => {
  given(Loan, borrowed).when(borrow).thenRefused("BOOKS_ON_LOAN");
  given(Loan, borrowed, reminded)
    .when({ ...borrow, member: "bob" })
    .thenRefused("BOOKS_ON_LOAN");
});

test("a book on loan can be returned, once", () => {
  given(Loan, borrowed).when(giveBack).thenEvents(returned);
  given(Loan, borrowed, reminded).when(giveBack).thenState(null);
  given(Loan, borrowed, returned).when(giveBack).thenRefused("BOOKS_NOT_ON_LOAN");
  given(Loan).when(giveBack).thenRefused("BOOKS_NOT_ON_LOAN");
});

test("the member of an open loan is reminded, once", () => {
  given(Loan, borrowed).when(remind).thenEvents(reminded);
  given(Loan, borrowed, reminded).when(remind).thenEvents();
});

test("a reminder of an earlier loan does nothing", () => {
  given(Loan, borrowed, returned).when(remind).thenEvents();
  const later = BookBorrowed({ book, member: "bob", dueAt: "2026-02-15T00:00:00.000Z" });
  given(Loan, borrowed, returned, later).when(remind).thenEvents();
});
