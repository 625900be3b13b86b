import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { newName, TestApp } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("a batch larger than prefetchCount is filled", async () => {
    await using one = new TestApp({ url, prefetchCount: 3 });
    const topic = newName();
    const sizes: number[] = [];
    const batch = { size: 20, waitMs: 60_000 };
    one.app.messaging.subscribeBatch(topic, { group: "group", batch }, (messages) => {
      sizes.push(messages.length);
      return new Map(messages.map(({ id }) => [id, "ack"] as const));
    });
    await one.start();
    await one.app.messaging.sendAll(
      topic,
      Array.from({ length: 40 }, () => ({ type: "t" })),
    );
    await waitFor(() => sizes.length === 2, { timeoutMs: 20_000 });
    expect(sizes).toEqual([20, 20]);
  });
});
