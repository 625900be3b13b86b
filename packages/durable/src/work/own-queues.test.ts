import type { Database } from "@framework/database";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";

/** Delays each registration of a process until the test settles it; returns the registrations. */
const heldRegistrations = (db: Database): PromiseWithResolvers<never>[] => {
  const held: PromiseWithResolvers<never>[] = [];
  const execute = db.execute.bind(db);
  db.execute = ((...statement: Parameters<Database["execute"]>) => {
    if (!JSON.stringify(statement[0]).includes("INSERT INTO framework_owners")) return execute(...statement);
    const one = Promise.withResolvers<never>();
    held.push(one);
    return one.promise;
  }) as Database["execute"];
  return held;
};

test("a process with runWork: false does not repeat a registration that fails during its stop", async () => {
  await using storage = await sqliteFile();
  const clock = virtualClock();
  const db = storage.open();
  const log = { info() {}, warn() {}, error() {} };
  const kernel = createKernel(db, { clock, log, config: { runWork: false, pollMaxMs: 100 } });
  kernel.queue({ name: "mail", handle() {} });
  await kernel.start();
  const registrations = heldRegistrations(db);
  kernel.queue({ name: "replies", endsWithStop: true, handle() {} });
  await waitFor(() => registrations.length === 1, { timeoutMs: 60_000 });
  const stopped = kernel.stop();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => void setImmediate(resolve)); // the loop has stopped
  registrations[0]?.reject(new Error("the database is unavailable"));
  await stopped;
  await clock.advance(1000);
  expect(registrations).toHaveLength(1);
});
