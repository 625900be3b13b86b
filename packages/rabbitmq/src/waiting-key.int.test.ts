import { expect, test } from "@jest/globals";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { newName, TestApp } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test("other keys are handled if the prefetch exceeds the messages of a key that waits for a delayed try", async () => {
    await using one = new TestApp({ url, prefetchCount: 100 });
    const topic = newName();
    const handled: string[] = [];
    const retry = { quickTries: 1, delaysMs: [600_000] };
    one.app.messaging.subscribe(
      topic,
      { group: "group", order: "key", prefetch: 100, retry },
      ({ key, data }) => {
        handled.push(`${key} ${String(data)}`);
        if (key === "failing") throw new Error("not now");
      },
    );
    await one.start();
    const messagesOf = (key: string, count: number) =>
      Array.from({ length: count }, (_, data) => ({ type: "t", key, data }));
    await one.app.messaging.sendAll(topic, messagesOf("failing", 50));
    await one.app.messaging.sendAll(topic, messagesOf("other", 3));
    await waitFor(() => handled.length === 4);
    expect(handled.toSorted()).toEqual(["failing 0", "other 0", "other 1", "other 2"]);
  });
});
