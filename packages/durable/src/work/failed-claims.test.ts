import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { Processes } from "../processes.test-kit.ts";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";

test("permits are given back when their claim fails", async () => {
  await using storage = await sqliteFile();
  const processes = await Processes.on(storage);
  const db = storage.open();
  const permits = { left: 3 };
  let failedClaims = 0;
  const warn = (message: string): void => {
    if (message.includes("could not be claimed")) failedClaims++;
  };
  const kernel = processes.create({ clock: virtualClock(), log: { info() {}, warn, error() {} } });
  const handled: string[] = [];
  const queue = kernel.queue<string>({
    name: "mail",
    handle: ({ payload }) => void handled.push(payload),
    async admission(wanted) {
      const taken = Math.min(wanted, permits.left);
      permits.left -= taken;
      return { permits: taken, retryInMs: 1, giveBack: async (count) => void (permits.left += count) };
    },
  });
  await kernel.start();
  await db.execute`CREATE TRIGGER no_claims BEFORE UPDATE ON framework_work BEGIN SELECT RAISE(ABORT, 'no claims'); END`;
  await queue.enqueue({ payload: "a" });
  await waitFor(() => failedClaims === 1, { subject: "a failed claim" });
  expect(permits.left).toBe(3);
  await db.execute`DROP TRIGGER no_claims`;
  await queue.enqueue({ payload: "b" });
  await waitFor(() => handled.length === 2, { subject: "both items" });
  expect(permits.left).toBe(1);
  await kernel.drain(AbortSignal.abort());
  await kernel.stop();
});
