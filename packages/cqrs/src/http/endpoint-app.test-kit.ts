// Commands and queries with endpoints, for counters.
import { App, HttpError, type StandardSchema } from "@framework/core";
import { database, type DatabaseMethods } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import { openapi, type Openapi } from "@framework/openapi";
import { z } from "zod";
import { add, TABLE } from "../counters.test-kit.ts";
import { type Command, command, cqrs, type CqrsMethods, type Query, query } from "../index.ts";

interface Taking {
  readonly name: string;
  readonly amount: number;
  readonly day?: string | undefined;
}

const taking: StandardSchema<Taking> = z.object({
  name: z.string(),
  amount: z.number().int(),
  day: z.iso.date().optional(),
});
const remaining: StandardSchema<{ total: number }> = z
  .object({ total: z.number() })
  .describe("The remaining total.");
const nameInput: StandardSchema<{ name: string }> = z.object({ name: z.string() });
const totalInput: StandardSchema<{ name: string; plus?: unknown }, { name: string; plus: number }> = z.object(
  {
    name: z.string(),
    plus: z.coerce.number().default(0),
  },
);
const sum: StandardSchema<number> = z.number();

/** POST /counters/{name}/takings. */
export const Take: Command<typeof taking, typeof remaining> = command("Take", {
  input: taking,
  output: remaining,
  http: { path: "/counters/{name}/takings", status: 201, tags: ["counters"], summary: "Take from a counter" },
});

/** DELETE /counters/{name}, with an idempotency key. */
export const Reset: Command<typeof nameInput> = command("Reset", {
  input: nameInput,
  idempotency: "required",
  http: { path: "/counters/{name}", method: "DELETE" },
});

/** GET /counters/{name}?plus=1. */
export const Total: Query<typeof totalInput, typeof sum> = query("Total", {
  input: totalInput,
  output: sum,
  http: { path: "/counters/{name}" },
});

/** An app with these endpoints, not started. */
export const endpointApp = (): App & DatabaseMethods & DurableMethods & CqrsMethods & Openapi => {
  const app = new (App.with(database, durable, cqrs, openapi))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableCqrs()
    .enableOpenapi();
  app.onEvent("startup", async () => void (await app.db.execute(TABLE)));
  app.cqrs
    .handle(Take, async ({ name, amount }, { tx }) => {
      const total = await add(tx, name, -amount);
      if (total < -100) throw new HttpError(409, "The counter is empty");
      return { total };
    })
    .handle(Reset, async ({ name }, { tx }) => {
      await tx.execute`DELETE FROM counters WHERE name = ${name}`;
    })
    .handle(Total, async ({ name, plus }, { db }) => {
      const total = await db.fetchValue<number>`SELECT total FROM counters WHERE name = ${name}`;
      if (total === null) throw new HttpError(404, "There is no such counter");
      return total + plus;
    });
  return app;
};
