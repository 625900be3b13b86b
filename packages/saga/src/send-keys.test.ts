import { expect, test } from "@jest/globals";
import { saga } from "./index.ts";
import { timeMachine } from "./testing.ts";

test("a message without a key, or with an undefined one, has the key of its saga", async () => {
  const keys: unknown[] = [];
  const sender = { send: async (_topic: string, { key }: { readonly key?: unknown }) => void keys.push(key) };
  const message = { topic: "orders", type: "order.placed" } as const;
  const definition = saga("order", 1)
    .send("tell", () => [message, { ...message, key: undefined }, { ...message, key: "own" }])
    .build();
  await using machine = await timeMachine(definition, { sender });
  await machine.start(null, "order-7");
  await machine.run();
  expect(keys).toEqual(["order-7", "order-7", "own"]);
});
