import { App, dependency, Depends, type StandardSchema } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { decider, eventType } from "@framework/event-sourcing";
import { command, cqrs, decideWith, query, RequestTransaction } from "./index.ts";

declare const orderInput: StandardSchema<{ id: string; day: string }, { id: string; day: Date }>;
declare const orderOutput: StandardSchema<{ total: bigint }, { total: string }>;
const Place = command("Place", { input: orderInput, output: orderOutput, key: ({ id }) => id });
const Cancel = command("Cancel", { input: orderInput });
const Total = query("Total", { input: orderInput, output: orderOutput });
const Ledger = dependency("ledger", { create: () => ({ write: (_line: string) => {} }) });

const app = new (App.with(database, durable, cqrs))().enableDatabase().enableCqrs({ maxRetries: 2 });

// The handler gets the schema's output, and returns the input of the result schema.
app.cqrs
  .handle(Place, ({ day }) => ({ total: BigInt(day.getTime()) }))
  .handle(Cancel, async ({ id }, { tx }) => {
    await tx.execute`DELETE FROM orders WHERE id = ${id}`;
  })
  .handle(Total, async (_input, { db }) => ({ total: (await db.fetchValue<bigint>`SELECT 1`) ?? 0n }));
app.cqrs.handle(Cancel, { inject: { ledger: Ledger } }, ({ id }, _context, { ledger }) => ledger.write(id));

app.cqrs.handle(Cancel, ({ id }, _context, ledger = Depends(Ledger)) => ledger.write(id));
app.cqrs.handle(Cancel, { use: [] }, ({ id }, _context, ledger = Depends(Ledger)) => ledger.write(id));
app.cqrs.handle(
  Cancel,
  { inject: { ledger: Ledger } },
  ({ id }, _context, { ledger }, other = Depends(Ledger)) => {
    ledger.write(id);
    other.write(id);
  },
);
// @ts-expect-error nothing is injected
app.cqrs.handle(Cancel, { use: [] }, (_input, _context, { ledger }) => ledger);

// One of several commands of a decider can be passed without a cast.
const Paid = eventType("Paid", orderInput);
const Order = decider({
  name: "order",
  events: [Paid],
  initialState: () => 0,
  decide: (change: { kind: "pay"; id: string } | { kind: "wait" }) =>
    change.kind === "wait" ? [] : Paid({ id: change.id, day: "" }),
  evolve: (count) => count + 1,
});
const id = (input: { id: string }): string => input.id;
const Pay = command("Pay", { input: orderInput });
app.cqrs.handle(Pay, decideWith(Order, { id, command: (input) => ({ kind: "pay", id: input.id }) }));
// @ts-expect-error the decider has no such command
app.cqrs.handle(Pay, decideWith(Order, { id, command: () => ({ kind: "refund" }) }));

// Callers pass the schema's input, and get the output of the result schema.
export const placed: Promise<{ readonly value: { total: string } }> = app.cqrs.execute(Place, {
  id: "1",
  day: "2026-01-02",
});
export const cancelled: Promise<{ readonly value: undefined }> = app.cqrs.execute(Cancel, {
  id: "1",
  day: "",
});
export const total: Promise<{ total: string }> = app.cqrs.query(Total, { id: "1", day: "" });

// @ts-expect-error the feature needs the database and durable work
App.with(cqrs);
// @ts-expect-error the method exists only if the app has the feature
new App().enableCqrs();
// @ts-expect-error a misspelt option
app.enableCqrs({ comandTimeoutMs: 1 });
// @ts-expect-error the input must match the schema
void app.cqrs.execute(Place, { id: 1, day: "" });
// @ts-expect-error a query cannot be executed
void app.cqrs.execute(Total, { id: "1", day: "" });
// @ts-expect-error a command is not a query
void app.cqrs.query(Place, { id: "1", day: "" });
// @ts-expect-error the handler must return the input of the result schema
app.cqrs.handle(Place, () => ({ total: 1 }));
// @ts-expect-error the handler of a query has no transaction
app.cqrs.handle(Total, (_input, { tx }) => tx.fetchOne`SELECT 1`);
// @ts-expect-error injected dependencies have their types
app.cqrs.handle(Cancel, { inject: { ledger: Ledger } }, (_input, _context, { ledger }) => ledger.read());
// @ts-expect-error the key is computed from the validated input
command("Bad", { input: orderInput, key: ({ number }) => number });
// @ts-expect-error a query needs a result
query("Bad", { input: orderInput });
// @ts-expect-error a misspelt option of an endpoint
command("Bad", { input: orderInput, http: { path: "/", sumary: "" } });

// The route option exists if the app has the feature.
app.post("/orders", { idempotency: "required" }, () => 1);
// @ts-expect-error not a valid value
app.post("/orders", { idempotency: "always" }, () => 1);
// @ts-expect-error the option does not exist without the feature
new App().post("/orders", { idempotency: "required" }, () => 1);

// The transaction of a request is typed.
app.post("/orders", { inject: { tx: RequestTransaction } }, async (_request, { tx }) => {
  (await tx.fetchValue<number>`SELECT 1`) satisfies number | null;
  // @ts-expect-error it is a transaction, not the database
  void tx.until(AbortSignal.timeout(1));
});
