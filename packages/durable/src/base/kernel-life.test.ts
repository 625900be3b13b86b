import { openDatabase } from "@framework/database";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel, type Lane } from "../feature.ts";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";

const ended = ({ signal }: Lane): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

test("a stop ends although parts of the kernel wait for the database without end, and the log names them", async () => {
  await using file = await sqliteFile();
  const db = openDatabase({ url: file.url, connectionTimeoutSecs: 600 });
  const clock = virtualClock();
  const errors: string[] = [];
  const error = (message: string): void => void errors.push(message);
  const kernel = createKernel(db, { clock, log: { info() {}, warn() {}, error } });
  const lanes = kernel.lanes({ kind: "held", count: 1, run: ended });
  await kernel.start();
  await waitFor(() => lanes.held().length === 1, { subject: "the lane" });
  const begun = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const blocking = db.transaction(async (tx) => {
    await tx.execute("CREATE TABLE blocking (id INTEGER)");
    begun.resolve();
    await finished.promise;
  });
  await begun.promise;
  try {
    const stopped = kernel.stop().then(() => true);
    await clock.advance(20_000);
    expect(await Promise.race([stopped, Promise.resolve(false)])).toBe(true);
  } finally {
    finished.resolve();
    await blocking;
    await db.close();
  }
  expect(errors).toEqual([
    "durable: the drain of lanes has not ended in time, and is no longer waited for",
    "durable: the stop of framework_leases has not ended in time, and is no longer waited for",
    "durable: the stop of the register of owners has not ended in time, and is no longer waited for",
  ]);
});
