import { databaseInSchema } from "@framework/database/testing";
import { startPostgres, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { heldKeys } from "./held-keys.test-kit.ts";
import { expectEachOnce, killedProcesses } from "./killed.test-kit.ts";
import { rollingReplacement } from "./rolling.test-kit.ts";
import { openPayments, pay, ways } from "./payments.test-kit.ts";

withServer("postgres", (server) => {
  killedProcesses(test, () => databaseInSchema(server));
  heldKeys(test, () => databaseInSchema(server));
  rollingReplacement(test, () => databaseInSchema(server));

  test("the database is killed and restarted while payments are made: each payment is made once", async () => {
    await using own = await startPostgres();
    await using opened = await openPayments(own.url, 2000);
    const { app } = opened;
    const tried = new Set<string>();
    const acknowledged: [string, string][] = [];
    let hasEnded = false;
    let failures = 0;
    const caller = async (_: unknown, number: number): Promise<void> => {
      for (let at = 0; !hasEnded; at++) {
        const key = `${ways[at % ways.length]}-${number}-${at}`;
        tried.add(key);
        await pay(app, key).then(
          (acknowledgement) => acknowledged.push([key, acknowledgement]),
          () => failures++,
        );
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    for (let restart = 1; restart <= 2; restart++) {
      const { length } = acknowledged;
      await waitFor(() => acknowledged.length > length + 40, { timeoutMs: 60_000 });
      await own.kill();
      await own.start();
    }
    hasEnded = true;
    await Promise.all(callers);
    await expectEachOnce(app, { tried, acknowledged });
    expect(failures).toBeGreaterThan(0);
  }, 300_000);
});
