import type { JwtAuth } from "@framework/auth";
import type { Guard } from "@framework/core";
import { field, subscription } from "@framework/graphql";
import type { BooksApp } from "../books-app.ts";
import { BorrowBook, ReturnBook } from "../lending/commands.ts";
import { OpenLoans } from "../lending/open-loans.ts";
import { Statistics } from "../lending/statistics.ts";
import { loanChanges } from "../lending/loan-changes.ts";
import { LENDING_SCHEMA } from "./schema.ts";

interface Borrowing {
  readonly book: number;
  readonly member: string;
  readonly idempotencyKey?: string | null;
}
interface AfterToken {
  readonly token?: string | null;
}

/** Serves the lending API over GraphQL: the commands and queries of `lending/`, and changes of loans as a subscription. */
export const enableLendingGraphql = (app: BooksApp, protection: readonly JwtAuth[]): void => {
  const { cqrs } = app;
  const guards: readonly Guard[] = protection.map(identifiedBy);

  app.enableGraphql({
    schema: LENDING_SCHEMA,
    resolvers: {
      Query: {
        openLoans: async (
          _: unknown,
          {
            member,
            after,
            token,
          }: AfterToken & { readonly member?: string | null; readonly after?: number | null },
          { invocation },
        ) => {
          const input = { ...(member != null && { member }), ...(after != null && { after: String(after) }) };
          const { loans } = await cqrs.query(OpenLoans, input, { after: token ?? null, from: invocation });
          return loans;
        },
        statistics: (_: unknown, { token }: AfterToken, { invocation }) =>
          cqrs.query(Statistics, {}, { after: token ?? null, from: invocation }),
      },
      Mutation: {
        borrow: field(
          { guards },
          async (_source, { book, member, idempotencyKey }: Borrowing, { invocation }) => {
            const input = { id: String(book), member };
            const { value, token } = await cqrs.execute(BorrowBook, input, {
              from: invocation,
              ...keyOf(idempotencyKey),
            });
            return { ...value, token };
          },
        ),
        giveBack: field(
          { guards },
          async (_source, { book, idempotencyKey }: Omit<Borrowing, "member">, { invocation }) => {
            const input = { id: String(book) };
            const { token } = await cqrs.execute(ReturnBook, input, {
              from: invocation,
              ...keyOf(idempotencyKey),
            });
            return { book, token };
          },
        ),
      },
      Subscription: {
        loanChanges: subscription({}, (_source, { after }: { readonly after?: string | null }, { signal }) =>
          loanChanges(app.eventStore, after ?? undefined, signal),
        ),
      },
    },
  });
};

/** Creates a guard that admits callers with a token that the routes also accept. */
const identifiedBy =
  (auth: JwtAuth): Guard =>
  async (invocation) => {
    await auth.identify(invocation);
    return true;
  };

const keyOf = (idempotencyKey: string | null | undefined): { readonly idempotencyKey?: string } =>
  idempotencyKey == null ? {} : { idempotencyKey };
