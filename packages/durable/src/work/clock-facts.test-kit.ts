import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { runLanes } from "../processes.test-kit.ts";
import {
  add,
  type Fact,
  Gate,
  startHangingWorker,
  startWorker,
  waitForState,
  waitUntilRemoved,
} from "./queue-tools.test-kit.ts";

const YEAR_MS = 365 * 86_400_000;
/** The longest lease that a process may have: ten minutes. */
const MAX_LEASE_MS = 600_000;

/** Declares the tests of work whose process died while the database's clock was ahead. */
export const clockFacts = (fact: Fact): void => {
  fact(
    "an item whose process died while the database's clock was ahead is taken over ten minutes after the clock is corrected",
    async (processes) => {
      const gate = new Gate();
      await processes.time.advance(YEAR_MS);
      const dead = await startHangingWorker(processes, { handle: gate.handle });
      const id = await add(dead.queue, "a");
      await waitForState(dead.queue, id, "running");
      await processes.time.advance(-YEAR_MS);
      const next = await startWorker(processes, { handle: () => "done" });
      const leaseEnd = async () =>
        await next.kernel.db.fetchValue<number>`SELECT wake_at FROM framework_work`;
      const expected = (await processes.time.read()) + MAX_LEASE_MS;
      await waitFor(async () => (await leaseEnd()) === expected, { subject: "the shorter lease" });
      await processes.time.advance(MAX_LEASE_MS);
      await waitUntilRemoved(next.queue, id);
    },
  );

  fact(
    "lanes whose process died while the database's clock was ahead are taken over ten minutes after a process starts with the clock corrected",
    async (processes) => {
      await processes.time.advance(YEAR_MS);
      const dead = processes.createHanging();
      const lost = runLanes(dead, "projection", 2);
      await dead.start();
      await waitFor(() => lost.lanes.size === 2, { subject: "both lanes" });
      await processes.time.advance(-YEAR_MS);
      const kernel = await processes.start();
      const found = runLanes(kernel, "projection", 2);
      const expected = (await processes.time.read()) + MAX_LEASE_MS;
      const leaseEnds = await kernel.db.query<{
        end_at: number;
      }>`SELECT lease_until AS end_at FROM framework_leases
        UNION ALL SELECT lease_until FROM framework_lane_members WHERE lease_until >= ${expected}`;
      expect(leaseEnds.map(({ end_at }) => end_at)).toEqual([expected, expected, expected]);
      await processes.time.advance(MAX_LEASE_MS);
      await waitFor(() => found.lanes.size === 2, { subject: "both lanes in the other process" });
    },
  );
};
