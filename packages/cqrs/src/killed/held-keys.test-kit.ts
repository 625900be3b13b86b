import type { TestDatabase } from "@framework/database/testing";
import { waitFor } from "@framework/testing";
import { killWarmProcesses } from "@framework/warm-processes";
import { expect, type test as jestTest } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { holdingApp, order } from "./holding-app.test-kit.ts";

/** Declares the tests of idempotency keys whose owner is killed. They run on every database. */
export const heldKeys = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  test("after a process is killed in a handler without RequestTransaction, requests with its key get 409 until the lease is taken over; then the handler runs again", async () => {
    await using storage = await make();
    const app = holdingApp(storage.url, false);
    app.onEvent(
      "startup",
      async () => void (await app.db.execute("CREATE TABLE begun (name TEXT NOT NULL)")),
    );
    await app.start({ log: newLog() });
    await order(app, "warm");
    const begunKeys = async (): Promise<readonly string[]> =>
      (await app.db.query<{ name: string }>("SELECT name FROM begun"))
        .map(({ name }) => name)
        .filter((name) => name.startsWith("hang"));
    await killWarmProcesses({
      program: new URL("./held-keys.test-program.ts", import.meta.url),
      env: (at) => ({ DATABASE: storage.url, AT: String(at) }),
      meanLifeMs: 1000,
      workingMs: 1,
      standby: 0,
      isEnough: async () => (await begunKeys()).length > 0, // otherwise no process was killed in its handler
    });
    const keys = await begunKeys();
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      const statuses = new Set<number>();
      await waitFor(async () => statuses.add(await order(app, key)).has(200), { timeoutMs: 120_000 });
      expect([[200], [409, 200]]).toContainEqual([...statuses]);
      expect(await order(app, key)).toBe(200);
    }
    expect((await begunKeys()).toSorted()).toEqual([...keys, ...keys].toSorted());
    await app.stop();
  }, 300_000);
};
