import { App } from "@framework/core";
import { database } from "@framework/database";
import { durable } from "@framework/durable";
import { expect, test } from "@jest/globals";
import { saga, sagas } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("calls with values of the wrong type are rejected with the name of the value, and start nothing", async () => {
  const app = new (App.with(database, durable, sagas))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableSaga();
  const definition = saga("order", 1).waitFor("packed").build();
  app.saga.define(definition);
  await app.start({ log: quiet });
  const startWith = (options: unknown) => () => app.saga.start(definition, undefined, options as never);
  const cases: readonly (readonly [() => Promise<unknown>, string])[] = [
    [startWith(undefined), "the options of start must be an object, such as"],
    [startWith({ key: "a", foo: 1 }), 'the options object of start has no field "foo"'],
    [startWith({ key: "a", tx: null }), "tx must be a transaction, not null"],
    [() => app.saga.start(undefined as never, undefined, { key: "a" }), "must be a built saga"],
    [() => app.saga.deliver(definition, undefined as never), "the message of deliver must be an object"],
    [
      () => app.saga.deliver(definition, { key: "a", id: "1" } as never),
      "the name of a message must be a string, not undefined",
    ],
    [() => app.saga.list({ state: "failed" } as object), 'the filter has no field "state"'],
    [() => app.saga.list(null as never), "the filter must be an object, not null"],
  ];
  for (const [call, message] of cases)
    await expect(call()).rejects.toMatchObject({
      code: expect.stringMatching(/^SAGA_(BAD_VALUE|NOT_POSSIBLE)$/),
      message: expect.stringContaining(message),
    });
  expect((await app.saga.list()).sagas).toEqual([]);
  const { id } = await app.saga.start(definition, undefined, { key: "a", trace: 5 as never });
  expect((await app.saga.get(id))?.trace).toBeNull();
  await expect(app.saga.cancel(id, undefined as never)).rejects.toThrow("Give a reason");
  await app.stop();
});

test("options, messages and filters may be instances of classes of the program", async () => {
  class Order {
    readonly key = "order-7";
  }
  class Packed {
    readonly key = "order-7";
    readonly id = "1";
    readonly name = "packed";
  }
  const app = new (App.with(database, durable, sagas))()
    .enableDatabase({ url: "sqlite://:memory:" })
    .enableSaga({ workers: false });
  const definition = saga("order", 1).waitFor("packed").build();
  app.saga.define(definition);
  await app.start({ log: quiet });
  const { id } = await app.saga.start(definition, undefined, new Order());
  expect((await app.saga.list(new Order())).sagas).toMatchObject([{ id }]);
  expect(await app.saga.deliver(definition, new Packed())).toMatch(/^(resumed|kept)$/);
  await app.stop();
});
