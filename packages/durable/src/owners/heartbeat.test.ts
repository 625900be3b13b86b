import { openDatabase } from "@framework/database";
import { virtualClock } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";
import { sqliteFile } from "../testing/open-databases.test-kit.ts";

const LEASE_MS = 15_000;

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true }),
  );

test("rows whose renewals hang are lost when their lease ends, after two more attempts", async () => {
  await using file = await sqliteFile();
  const db = openDatabase({ url: file.url });
  const clock = virtualClock();
  const log = { info() {}, warn() {}, error() {} };
  const kernel = createKernel(db, { clock, log, config: { leaseMs: LEASE_MS } });
  const renewals: number[] = [];
  const losses: number[] = [];
  const rows = kernel.leaseRows({
    name: "rows",
    renew(signal) {
      renewals.push(clock.now());
      return untilAborted(signal);
    },
    expire: async () => 0,
    lost: () => void losses.push(clock.now()),
  });
  await kernel.start();
  await rows.join();
  const joinedAt = clock.now();
  for (let ms = 0; ms < LEASE_MS; ms += 1000) await clock.advance(1000);
  expect(renewals.slice(0, 2).map((at) => at - joinedAt)).toEqual([LEASE_MS / 3, (2 * LEASE_MS) / 3]);
  expect(losses.map((at) => at - joinedAt)).toEqual([LEASE_MS]);
  const stopped = kernel.stop();
  for (let ms = 0; ms < LEASE_MS; ms += 1000) await clock.advance(1000);
  await stopped;
  await db.close();
});
