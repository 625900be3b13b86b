import { dependency, FrameworkError, type Injections, type Key, key, type Token } from "@framework/core";
import type { Transaction } from "@framework/database";

/** The transaction in which the handler of a request runs; `null` if there is none. */
export const OpenTransaction: Key<Transaction | null> = key<Transaction | null>("request transaction", null);

/**
 * The transaction of a request, as a dependency. A route that names it in `inject`, directly or through another token, runs its handler in a transaction, which is
 * committed if the reply has a status below 400, and rolled back otherwise. With the option `idempotency`, the key and the reply are stored in the same
 * transaction, so the changes are made exactly once.
 *
 * @throws CQRS_NO_TRANSACTION if the route does not name it in `inject`, or without `enableCqrs`
 * @example
 * app.post("/payments", { idempotency: "required", inject: { tx: RequestTransaction } }, async (request, { tx }) => {
 *   const { amount } = await request.json<{ amount: number }>();
 *   await tx.execute`INSERT INTO payments (amount) VALUES (${amount})`;
 *   return { paid: amount };
 * });
 */
export const RequestTransaction: Token<Transaction> = dependency("request transaction", {
  scope: "invocation",
  create: (_dependencies, { context }): Transaction => {
    const tx = context.get(OpenTransaction);
    if (tx === null) throw new FrameworkError("CQRS_NO_TRANSACTION", NO_TRANSACTION);
    return tx;
  },
});

const NO_TRANSACTION =
  "cqrs: a handler uses RequestTransaction outside a transaction; name it in `inject` of the route, and call enableCqrs()";

/** Whether a route injects `RequestTransaction`, directly or through another token. */
export const usesTransaction = (
  { inject = {} }: { readonly inject?: Injections | undefined },
  seen: Set<object> = new Set(),
): boolean =>
  Object.values(inject).some((token) => {
    if (typeof token === "string" || seen.has(token)) return false;
    seen.add(token);
    return token === RequestTransaction || usesTransaction(token, seen);
  });
