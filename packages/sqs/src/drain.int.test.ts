import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { Ledger, type TestApp } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { appOn, LIMIT_MS, MESSAGES, newName, sends } from "./process.test-kit.ts";

withServer("sqs", (endpointUrl) => {
  test.concurrent.each(["key", "none"] as const)(
    "rolling stops under load handle no message twice, with order %s",
    async (order) => {
      const prefix = newName();
      const ledger = new Ledger(Math.max(300, MESSAGES), sends);
      const process = async (): Promise<TestApp> => {
        const app = appOn({ endpointUrl, visibilityTimeoutSecs: 10 }, { prefix });
        app.messaging.subscribe(app.topic, { group: app.group, order, concurrency: 4 }, async (message) => {
          if (order === "key") ledger.handle(message);
          await sleep(1);
          if (order === "none") ledger.handle(message);
        });
        return await app.start();
      };
      let processes = [await process(), await process()];
      await using sender = await appOn({ endpointUrl }, { prefix }).start();
      const sending = ledger.send(sender, sender.topic);
      for (let stops = 1; stops <= 4; stops++) {
        await waitFor(() => ledger.handled >= (stops * ledger.total) / 8, { timeoutMs: LIMIT_MS });
        const [oldest, ...others] = processes;
        processes = [...others, await process()];
        await oldest?.stop();
      }
      await sending;
      const numbers = await ledger.sequences();
      await Promise.all(processes.map(async (each) => await each.stop()));
      expect(ledger.handled).toBe(ledger.total);
      expect(order === "key" ? numbers : ledger.expected).toEqual(ledger.expected);
    },
    LIMIT_MS,
  );
});
