import type { JwtAuth } from "@framework/auth";
import type { BooksApp } from "../books-app.ts";
import { BorrowBook, ReturnBook } from "../lending/commands.ts";
import { loanChanges } from "../lending/loan-changes.ts";
import { OpenLoans } from "../lending/open-loans.ts";
import { lendingService } from "./lending-service.ts";

/** Serves the lending API over gRPC: the commands and queries of `lending/`, and changes of loans as a stream. Writing needs the same token as over HTTP. */
export const enableLendingGrpc = (app: BooksApp, protection: readonly JwtAuth[], address: string): void => {
  const { cqrs } = app;
  const [auth] = protection;
  app.enableGrpc({ address, reflection: true, ...(auth !== undefined && { auth }) });
  app.addGrpcService(lendingService, {
    async Borrow({ book, member, idempotencyKey }, call) {
      const input = { id: String(book), member };
      const { value, token } = await cqrs.execute(BorrowBook, input, {
        from: call,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      return { ...value, ...(token !== null && { token }) };
    },
    async GiveBack({ book, idempotencyKey }, call) {
      const { token } = await cqrs.execute(
        ReturnBook,
        { id: String(book) },
        { from: call, ...(idempotencyKey !== undefined && { idempotencyKey }) },
      );
      return token === null ? {} : { token };
    },
    ListOpenLoans: {
      open: true,
      handle: ({ member, after, token = null }, call) =>
        cqrs.query(
          OpenLoans,
          { ...(member !== undefined && { member }), ...(after !== undefined && { after: String(after) }) },
          { after: token, from: call },
        ),
    },
    WatchLoans: {
      open: true,
      handle: ({ after }, call) =>
        loanChanges(app.eventStore, after, AbortSignal.any([call.signal, call.draining])),
    },
  });
};
