import { expect, test } from "@jest/globals";
import { Borrowed, Extended, Loan, NotBorrowedError, Returned } from "../loan.test-kit.ts";
import { given } from "./specification.ts";

test("thenEvents compares the events of a command, including their data", () => {
  const outcome = given(Loan, Borrowed({ member: "ann" })).when({ kind: "return" });
  outcome.thenEvents(Returned({}));
  expect(() => outcome.thenEvents()).toThrow(/Expected|equal/);
  expect(() =>
    given(Loan)
      .when({ kind: "borrow", member: "bob" })
      .thenEvents(Borrowed({ member: "ann" })),
  ).toThrow(/equal/);
});

test("thenState compares the state before and after a command", () => {
  const past = given(Loan, Borrowed({ member: "ann" }), Extended({ days: 3 }));
  past.thenState({ member: "ann", days: 17, returns: 0 });
  past.when({ kind: "return" }).thenState({ member: null, days: 0, returns: 1 });
  expect(() => past.thenState({ member: null, days: 0, returns: 0 })).toThrow(/equal/);
});

test("thenEvents() expects no events", () => {
  const outcome = given(Loan, Borrowed({ member: "ann" })).when({ kind: "borrow", member: "ann" });
  outcome.thenEvents();
  expect(() => outcome.thenEvents(Returned({}))).toThrow(/equal/);
});

test("thenRefused compares a rejection by class or message", () => {
  const outcome = given(Loan).when({ kind: "return" });
  outcome.thenRefused();
  outcome.thenRefused(NotBorrowedError);
  outcome.thenRefused(/not borrowed/);
  const global = /not borrowed/g;
  outcome.thenRefused(global);
  outcome.thenRefused(global);
  outcome.thenRefused("the book is not borrowed");
  expect(() => outcome.thenRefused(TypeError)).toThrow("refused with Error: the book is not borrowed");
  expect(() => outcome.thenEvents()).toThrow("the command was refused: the book is not borrowed");
  expect(() => given(Loan).when({ kind: "borrow", member: "ann" }).thenRefused()).toThrow(
    "it returned Borrowed",
  );
});

test("a `decide` without a result is a mistake, not a rejection of the command", () => {
  const mistaken = { ...Loan, decide: () => undefined as never };
  expect(() => given(mistaken).when({ kind: "return" })).toThrow("`decide` returned undefined");
});
