import { virtualClock, waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import type { HeldLease, OwnKernel } from "./feature.ts";
import { acquireFree, type Fact, LEASE_MS, runLanes, stoppedClock } from "./processes.test-kit.ts";

/** Declares the lease tests, which run on every database. */
export const leaseFacts = (fact: Fact): void => {
  fact("a lease has one owner, and the next owner has a higher fence", async (processes) => {
    await using one = await processes.start();
    await using other = await processes.start();
    const lease = await acquireFree(one, "rebuild", "shelf");
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    expect(await one.acquireLease("rebuild", "shelf")).toBeNull();
    expect(await other.acquireLease("rebuild", "other")).not.toBeNull();
    await lease.release();
    expect(lease.signal.aborted).toBe(true);
    const next = await acquireFree(other, "rebuild", "shelf");
    expect(next.fence).toBeGreaterThan(lease.fence);
  });

  fact("of many processes that claim a lease concurrently, exactly one gets it", async (processes) => {
    const kernels = await Promise.all(Array.from({ length: 4 }, () => processes.start()));
    for (const name of ["a", "b", "c"]) {
      const leases = await Promise.all(
        kernels.flatMap((kernel) => [kernel.acquireLease("cron", name), kernel.acquireLease("cron", name)]),
      );
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    }
    for (const kernel of kernels) await kernel.stop();
  });

  fact("an expired lease is taken over, and the write of its former owner is refused", async (processes) => {
    await using hung = await processes.start({ clock: stoppedClock() });
    await using other = await processes.start();
    const stale = await acquireFree(hung, "rebuild", "shelf");
    await processes.time.advance(LEASE_MS - 1);
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    await processes.time.advance(1);
    const lease = await acquireFree(other, "rebuild", "shelf");
    const write = (owner: OwnKernel, held: HeldLease) =>
      owner.db.transaction(async (tx) => {
        await tx.execute`INSERT INTO framework_lanes (kind, lanes) VALUES (${`written by ${held.fence}`}, 1)`;
        await held.check(tx);
      });
    await expect(write(hung, stale)).rejects.toMatchObject({
      name: "LeaseLostError",
      code: "DURABLE_LEASE_LOST",
    });
    expect(stale.signal.reason).toMatchObject({ code: "DURABLE_LEASE_LOST" });
    await write(other, lease);
    const rows = await other.db.query("SELECT kind FROM framework_lanes");
    expect(rows).toEqual([{ kind: `written by ${lease.fence}` }]);
  });

  fact("a process that got no reply to its claim can claim the lease again at once", async (processes) => {
    await using one = await processes.start();
    const lease = await acquireFree(one, "rebuild", "shelf");
    const owner = await one.db.fetchValue<string>("SELECT owner FROM framework_leases");
    await lease.release();
    await one.db
      .execute`UPDATE framework_leases SET owner = ${owner}, lease_until = ${await processes.time.read()} + 15000`;
    const again = await acquireFree(one, "rebuild", "shelf");
    expect(again.fence).toBeGreaterThan(lease.fence);
  });

  fact("a late release by a former owner does not affect the lease of the new owner", async (processes) => {
    await using hung = await processes.start({ clock: stoppedClock() });
    await using other = await processes.start();
    const stale = await acquireFree(hung, "rebuild", "shelf");
    await processes.time.advance(LEASE_MS);
    const lease = await acquireFree(other, "rebuild", "shelf");
    await stale.release();
    await other.db.transaction((tx) => lease.check(tx));
    expect(await hung.acquireLease("rebuild", "shelf")).toBeNull();
  });

  fact("an expired lease is not taken during a transaction that has checked it", async (processes) => {
    await using hung = await processes.start({ clock: stoppedClock() });
    await using other = await processes.start();
    const lease = await acquireFree(hung, "rebuild", "shelf");
    const order: string[] = [];
    const { promise: checked, resolve: hasChecked } = Promise.withResolvers<void>();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await processes.time.advance(LEASE_MS);
    const writing = hung.db
      .transaction(async (tx) => {
        await lease.check(tx);
        hasChecked();
        await held;
      })
      .then(() => order.push("committed"));
    await checked;
    // PostgreSQL replies at once that the lease is taken; SQLite waits for the transaction.
    const attempt = other
      .acquireLease("rebuild", "shelf")
      .then((got) => order.push(got === null ? "refused" : "claimed"));
    if (other.db.dialect === "postgres") await attempt;
    letGo();
    await Promise.all([writing, attempt]);
    expect(order).toEqual(
      other.db.dialect === "postgres" ? ["refused", "committed"] : ["committed", "claimed"],
    );
    if (other.db.dialect === "postgres") await acquireFree(other, "rebuild", "shelf");
  });

  fact("when a process stops, its leases are free at once", async (processes) => {
    const one = await processes.start();
    await using other = await processes.start();
    const lease = await acquireFree(one, "rebuild", "shelf");
    await one.stop();
    expect(lease.signal.aborted).toBe(true);
    expect(await one.acquireLease("rebuild", "shelf")).toBeNull();
    await acquireFree(other, "rebuild", "shelf");
  });

  fact("renewals keep a lease, even if the worker's clock is wrong", async (processes) => {
    const ahead = virtualClock({ start: 3_600_000 });
    const slowClock = virtualClock({ start: -3_600_000 });
    await using one = await processes.start({ clock: ahead });
    await using other = await processes.start({ clock: slowClock });
    const lease = await acquireFree(one, "rebuild", "shelf");
    const until = async () => await one.db.fetchValue<number>`SELECT lease_until FROM framework_leases`;
    for (let round = 0; round < 6; round++) {
      const before = (await until()) ?? 0;
      await processes.time.advance(LEASE_MS / 3);
      await ahead.advance(LEASE_MS / 3);
      await waitFor(async () => ((await until()) ?? 0) > before, { subject: "the renewal" });
      expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    }
    expect(lease.signal.aborted).toBe(false);
  });

  fact(
    "one process runs all lanes, a second one takes half, and gets all when the first stops",
    async (processes) => {
      const one = await processes.start();
      const first = runLanes(one, "projection", 8);
      await waitFor(() => first.lanes.size === 8, { subject: "all lanes" });
      await using other = await processes.start();
      const second = runLanes(other, "projection", 8);
      await waitFor(() => first.lanes.size === 4 && second.lanes.size === 4, { subject: "four lanes each" });
      expect([...first.handle.held(), ...second.handle.held()].toSorted((a, b) => a - b)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7,
      ]);
      await one.stop();
      expect(first.lanes.size).toBe(0);
      await waitFor(() => second.lanes.size === 8, { subject: "all lanes in the other process" });
    },
  );
};
