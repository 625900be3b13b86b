import type { TestDatabase } from "@framework/database/testing";
import { waitFor } from "@framework/testing";
import { killWarmProcesses } from "@framework/warm-processes";
import { expect, type test as jestTest } from "@jest/globals";
import { newLog } from "../counters.test-kit.ts";
import { holdingApp, order } from "./holding-app.test-kit.ts";

/** Declares the tests of keys whose holder is killed, which run on every database. */
export const heldKeys = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  test("after a process is killed in a handler without the transaction, its key is answered with 409 until the lease is taken over, then the handler runs again", async () => {
    await using storage = await make();
    const app = holdingApp(storage.url, false);
    app.onEvent(
      "startup",
      async () => void (await app.db.execute("CREATE TABLE begun (name TEXT NOT NULL)")),
    );
    await app.start({ log: newLog() });
    await order(app, "warm");
    await killWarmProcesses({
      program: new URL("./held-keys.test-program.ts", import.meta.url),
      env: (at) => ({ DATABASE: storage.url, AT: String(at) }),
      meanLifeMs: 1000,
      workingMs: 1,
      standby: 0,
    });
    const begun = async (): Promise<readonly string[]> =>
      (await app.db.query<{ name: string }>("SELECT name FROM begun")).map(({ name }) => name);
    const hung = (await begun()).filter((name) => name.startsWith("hang"));
    for (const key of hung) {
      const statuses = new Set<number>();
      await waitFor(async () => statuses.add(await order(app, key)).has(200), { timeoutMs: 120_000 });
      expect([[200], [409, 200]]).toContainEqual([...statuses]);
      expect(await order(app, key)).toBe(200);
    }
    const twice = (await begun()).filter((name) => name.startsWith("hang"));
    expect(twice.toSorted()).toEqual([...hung, ...hung].toSorted());
    await app.stop();
  }, 300_000);
};
