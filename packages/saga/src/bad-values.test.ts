import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { timeMachinePanel } from "./admin/time-machine-panel.ts";
import { saga, sagas } from "./index.ts";

const order = saga("order", 1, z.object({ book: z.string(), copies: z.int() }))
  .waitFor("packed", { schema: z.object({ weight: z.number() }) })
  .build();

test("an input or a message that does not fit is a mistake of the program: the client of its handler gets a 500", async () => {
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
      message: expect.stringMatching(/^saga: the input of "order" does not fit its schema: copies: /),
    },
    {
      code: "SAGA_BAD_VALUE",
      message: expect.stringMatching(
        /^saga: the message "packed" does not fit its schema: .*expected object/,
      ),
    },
  ]);
});

test("an input that does not fit is a 400 for the operator who writes it into the time machine", async () => {
  const { panel, close } = timeMachinePanel(() => [order]);
  const start = panel.actions?.find(({ name }) => name === "start");
  const started = async () => start?.run("order version 1", { input: '{"book":"Emma"}' });
  await expect(started()).rejects.toMatchObject({
    status: 400,
    detail: expect.stringContaining("does not fit its schema: copies"),
  });
  await close();
});
