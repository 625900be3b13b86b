import { setTimeout as sleep } from "node:timers/promises";
import { test } from "@jest/globals";
import { startProxy, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expectNothingLostDespite, LIMIT_MS } from "./faults.test-kit.ts";

withServer("rabbitmq", (url) => {
  test.concurrent(
    "repeatedly cut connections lose no message",
    async () => {
      await using proxy = await startProxy(url);
      await expectNothingLostDespite(proxy.url, async () => {
        for (let cuts = 0; cuts < 5; cuts++) {
          const before = proxy.accepted;
          proxy.drop();
          await waitFor(() => proxy.accepted >= before + 2);
        }
      });
    },
    LIMIT_MS,
  );

  test.concurrent(
    "a silent connection ends at a time limit, and is replaced",
    async () => {
      await using proxy = await startProxy(url);
      await expectNothingLostDespite(proxy.url, async () => {
        proxy.mode = "silent";
        await sleep(3000);
        proxy.mode = "pass";
        proxy.drop();
      });
    },
    LIMIT_MS,
  );
});
