import { openDatabase } from "@framework/database";
import { startPostgres, withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel, type Lane } from "./feature.ts";

const log = { info() {}, warn() {}, error() {} };

/** A kernel on a separate server, with two running lanes. */
const start = async (url: string, leaseMs: number) => {
  const db = openDatabase({ url, connectionTimeoutSecs: 10 });
  const kernel = createKernel(db, { config: { leaseMs, pollMinMs: 10, pollMaxMs: 100 }, log });
  await kernel.start();
  const lanes: Lane[] = [];
  const handle = kernel.lanes({
    kind: "outage",
    count: 2,
    run: (lane) => {
      lanes.push(lane);
      return new Promise((resolve) => lane.signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  });
  await waitFor(() => handle.held().length === 2, { subject: "both lanes" });
  const stop = async (): Promise<void> => {
    await kernel.stop();
    await db.close();
  };
  return { db, lanes, handle, [Symbol.asyncDispose]: stop };
};

// The shared server is not stopped; it is requested only so that these tests count as skipped without PostgreSQL.
withServer("postgres", () => {
  test("if the database restarts in less than leaseMs, no lane is lost", async () => {
    await using server = await startPostgres();
    await using process = await start(server.url, 600_000);
    await server.kill();
    await server.start();
    const [lane] = process.lanes;
    const check = () => process.db.transaction(async (tx) => (await lane?.check(tx), true));
    expect(await waitFor(check, { subject: "a transaction" })).toBe(true);
    expect(process.lanes.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  }, 240_000);

  test("lanes end when the database is unavailable for longer than the lease, and run again when it is available", async () => {
    await using server = await startPostgres();
    await using process = await start(server.url, 1000);
    await server.kill();
    await waitFor(() => process.lanes.every(({ signal }) => signal.aborted), { subject: "the lanes to end" });
    for (const { signal } of process.lanes)
      expect(signal.reason).toMatchObject({ code: "DURABLE_LEASE_LOST" });
    await server.start();
    await waitFor(() => process.handle.held().length === 2, { subject: "both lanes again" });
    for (const number of [0, 1]) {
      const fences = process.lanes.filter(({ lane }) => lane === number).map(({ fence }) => fence);
      expect(fences.length).toBeGreaterThan(1);
      expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b)); // the fence is higher after each claim
    }
  }, 240_000);
});
