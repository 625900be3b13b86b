import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { Ledger } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { LIMIT_MS, MESSAGES } from "./harm.test-kit.ts";
import { newName, TestApp } from "./process.test-kit.ts";

withServer("rabbitmq", (url) => {
  test.each(["key", "none"] as const)(
    "rolling stops under load handle no message twice, with order %s",
    async (order) => {
      const topic = newName();
      const ledger = new Ledger(Math.max(600, MESSAGES));
      const process = async (): Promise<TestApp> =>
        await new TestApp({ url, topics: [topic] })
          .subscribe(topic, { order, concurrency: 4 }, async (message) => {
            if (order === "key") ledger.handle(message);
            await sleep(1);
            if (order === "none") ledger.handle(message);
          })
          .start();
      let processes = [await process(), await process()];
      await using sender = await new TestApp({ url, topics: [topic] }).start();
      const sending = ledger.send(sender, topic);
      for (let stops = 1; stops <= 5; stops++) {
        await waitFor(() => ledger.handled >= (stops * ledger.total) / 8, { timeoutMs: LIMIT_MS });
        const [oldest, ...others] = processes;
        processes = [...others, await process()];
        await oldest?.stop();
      }
      await sending;
      const numbers = await ledger.sequences();
      await Promise.all(processes.map((each) => each.stop()));
      expect(ledger.handled).toBe(ledger.total);
      expect(order === "key" ? numbers : ledger.expected).toEqual(ledger.expected);
    },
    LIMIT_MS,
  );
});
