import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { timeMachinePanel } from "./admin/time-machine-panel.ts";
import { because, bench } from "./bench.test-kit.ts";
import { saga, sagas } from "./index.ts";

const order = saga("order", 1, z.object({ book: z.string(), copies: z.int() }))
  .waitFor("packed", { schema: z.object({ weight: z.number() }) })
  .build();

test("an invalid input or message fails with SAGA_BAD_VALUE, and the HTTP client gets a 500", async () => {
  const app = new (App.with(database, durable, sagas))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableSaga();
  app.saga.define(order);
  app.post("/orders", async () => {
    await app.saga.start(order, { book: "Emma", copies: 0.5 }, { key: "1" });
  });
  app.post("/packed", async () => {
    await app.saga.deliver(order, { key: "1", id: "m", name: "packed", data: "heavy" });
  });
  await using client = testClient(app);
  expect((await client.post("/orders")).status).toBe(500);
  expect((await client.post("/packed")).status).toBe(500);
  const errors = client.logs.flatMap(({ level, fields }) => (level === "error" ? [fields["error"]] : []));
  expect(errors).toMatchObject([
    {
      code: "SAGA_BAD_VALUE",
      message: expect.stringMatching(/^saga: the input of "order" does not match its schema: copies: /),
    },
    {
      code: "SAGA_BAD_VALUE",
      message: expect.stringMatching(
        /^saga: the message "packed" does not match its schema: .*expected object/,
      ),
    },
  ]);
});

const lossy: readonly (readonly [string, unknown, string])[] = [
  ["a Map", { seats: new Map([["A1", 2]]) }, "$.seats is a Map"],
  ["a Set", [new Set([1])], "$[0] is a Set"],
  ["NaN", { price: Number.NaN }, "$.price is NaN"],
  ["an infinity", { left: Infinity }, "$.left is Infinity"],
  ["a function", () => 1, "$ is a function"],
  ["a bigint", { cents: 1n }, "$.cents is a bigint"],
];

test.each(lossy)(
  "%s in an input, an output, a message or a settled output is refused with its path",
  async (_what, value, problem) => {
    const definition = saga("s", 1)
      .call("out", () => value)
      .tx("alsoOut", () => value)
      .waitFor("paid")
      .build();
    await using own = await bench(definition);
    const { runner } = own.worker;
    const badValue = { code: "SAGA_BAD_VALUE", message: expect.stringContaining(problem) };
    await expect(runner.start(definition, value, { key: "other" })).rejects.toMatchObject(badValue);
    const id = await own.start();
    await own.worker.runAll();
    expect(await own.info(id)).toMatchObject({ status: "paused", position: 0, error: badValue });
    await expect(runner.settle(id, { ...because, output: value })).rejects.toMatchObject(badValue);
    await runner.skip(id, because);
    await own.worker.runAll();
    expect(await own.info(id)).toMatchObject({ status: "paused", position: 1, error: badValue });
    await runner.skip(id, because);
    await own.worker.runAll();
    const paid = { key: "k", id: "m", name: "paid" };
    await expect(runner.deliver(definition, { ...paid, data: value })).rejects.toMatchObject(badValue);
  },
);

test("dates, absent members and empty outputs are data: the next step gets them after a JSON round trip", async () => {
  const seen: unknown[] = [];
  const definition = saga("s", 1)
    .call("one", () => ({ at: new Date(0), none: undefined, list: [null] }))
    .call("two", () => {})
    .call("three", ({ outputs }) => void seen.push(outputs.one, outputs.two))
    .build();
  await using own = await bench(definition);
  await own.start();
  await own.worker.runAll();
  expect(seen).toEqual([{ at: "1970-01-01T00:00:00.000Z", list: [null] }, undefined]);
});

test("undefined members of an output, such as of Promise.all, are stored as null", async () => {
  const mails: string[] = [];
  const mail = async (to: string): Promise<void> => void mails.push(to);
  const definition = saga("s", 1)
    .call("mail", () => Promise.all([mail("ann"), mail("bob"), Promise.resolve({ sent: 2 })]))
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({
    status: "completed",
    steps: [{ output: [null, null, { sent: 2 }] }],
  });
  expect(mails).toEqual(["ann", "bob"]);
});

test("an invalid input in the time machine panel is a 400", async () => {
  const { panel, close } = timeMachinePanel(() => [order]);
  const start = panel.actions?.find(({ name }) => name === "start");
  const run = async () => start?.run("order version 1", { input: '{"book":"Emma"}' });
  await expect(run()).rejects.toMatchObject({
    status: 400,
    detail: expect.stringContaining("does not match its schema: copies"),
  });
  await close();
});
