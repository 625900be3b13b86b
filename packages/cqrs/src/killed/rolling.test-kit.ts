import { setTimeout as delay } from "node:timers/promises";
import type { TestDatabase } from "@framework/database/testing";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { expectEachOnce } from "./killed.test-kit.ts";
import { openPayments, pay, type Payments, paymentsApp, ways } from "./payments.test-kit.ts";

const CALLERS = 4;
const REPLACEMENTS = 3;

/** Declares the test of a rolling update of two processes, which runs on every database. */
export const rollingReplacement = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  test("processes are replaced one by one while payments are made: each payment is made once", async () => {
    await using storage = await make();
    await using first = await openPayments(storage.url);
    const start = async (): Promise<Payments> => {
      const app = paymentsApp(storage.url);
      await app.start({ log: newLog() });
      return app;
    };
    const running = [await start(), await start()];
    const tried = new Set<string>();
    const acknowledged: [string, string][] = [];
    let hasEnded = false;
    let refused = 0;
    /** Sends a payment to either process until it is acknowledged, with the same key. */
    const payOnce = async (key: string, from = acknowledged.length): Promise<void> => {
      tried.add(key);
      for (let at = from; ; at++) {
        const app = running[at % running.length] ?? first.app;
        const acknowledgement = await pay(app, key).catch(() => null);
        if (acknowledgement !== null) return void acknowledged.push([key, acknowledgement]);
        refused++;
        await delay(5);
      }
    };
    const caller = async (_: unknown, number: number): Promise<void> => {
      for (let at = 0; !hasEnded; at++) {
        await payOnce(`${ways[at % ways.length]}-${number}-${at}`);
        await delay(20); // limits the number of payments, all of which are repeated at the end
      }
    };
    const callers = Array.from({ length: CALLERS }, caller);
    for (let replaced = 0; replaced < REPLACEMENTS; replaced++) {
      const { length } = acknowledged;
      await waitFor(() => acknowledged.length > length + 10, { subject: "payments", timeoutMs: 60_000 });
      const next = await start();
      const [old] = running;
      await old?.stop(); // still gets payments: callers retry refused ones in another process
      await payOnce(`${ways[0]}-late-${replaced}`, 0);
      running.shift();
      running.push(next);
    }
    hasEnded = true;
    await Promise.all(callers);
    expect(refused).toBeGreaterThanOrEqual(REPLACEMENTS);
    await expectEachOnce(first.app, { tried, acknowledged });
    await Promise.all(running.map((app) => app.stop()));
  }, 180_000);
};
