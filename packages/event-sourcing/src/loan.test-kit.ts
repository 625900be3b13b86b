// The domain of the tests: loans of a book, which is borrowed, extended and returned.
import { z } from "zod";
import { decider, type Decider, type EventType, eventType } from "./index.ts";

export const Borrowed: EventType<"Borrowed", { member: string }> = eventType(
  "Borrowed",
  z.object({ member: z.string() }),
);
export const Extended: EventType<"Extended", { days: number }> = eventType(
  "Extended",
  z.object({ days: z.number().int().positive() }),
);
export const Returned: EventType<"Returned", Record<string, never>> = eventType(
  "Returned",
  z.strictObject({}),
);

export const loanTypes: readonly [typeof Borrowed, typeof Extended, typeof Returned] = [
  Borrowed,
  Extended,
  Returned,
];

export interface LoanState {
  readonly member: string | null;
  readonly days: number;
  readonly returns: number;
}

export type LoanCommand =
  | { readonly kind: "borrow"; readonly member: string }
  | { readonly kind: "extend"; readonly days: number }
  | { readonly kind: "return" };

export class NotBorrowedError extends Error {}

const decide: Decider<LoanState, LoanCommand, (typeof loanTypes)[number]>["decide"] = (
  command,
  { member },
) => {
  switch (command.kind) {
    case "borrow":
      if (member === command.member) return [];
      return member === null
        ? Borrowed({ member: command.member })
        : [Returned({}), Borrowed({ member: command.member }), Extended({ days: 7 })];
    case "extend":
      if (member === null) throw new NotBorrowedError("the book is not borrowed");
      return Extended({ days: command.days });
    case "return":
      if (member === null) throw new NotBorrowedError("the book is not borrowed");
      return Returned({});
  }
};

export const Loan: Decider<LoanState, LoanCommand, (typeof loanTypes)[number]> = decider({
  name: "loan",
  events: loanTypes,
  initialState: (): LoanState => ({ member: null, days: 0, returns: 0 }),
  decide,
  evolve: (state, event): LoanState => {
    switch (event.type) {
      case "Borrowed":
        return { ...state, member: event.data.member, days: 14 };
      case "Extended":
        return { ...state, days: state.days + event.data.days };
      case "Returned":
        return { member: null, days: 0, returns: state.returns + 1 };
    }
  },
});
