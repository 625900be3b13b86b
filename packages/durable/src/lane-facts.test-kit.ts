import { virtualClock, waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import type { Lane } from "./feature.ts";
import type { Place } from "./place/place.ts";
import {
  acquireFree,
  type Fact,
  LEASE_MS,
  quiet,
  runLanes,
  stoppedClock,
  waitForAbort,
} from "./processes.test-kit.ts";

/** Declares the lane tests, which run on every database. */
export const laneFacts = (fact: Fact): void => {
  fact("five processes share seven lanes as equally as possible", async (processes) => {
    const kernels = await Promise.all(Array.from({ length: 5 }, () => processes.start()));
    const sets = kernels.map((kernel) => runLanes(kernel, "projection", 7));
    const sizes = () => sets.map(({ handle }) => handle.held().length).toSorted((a, b) => a - b);
    await waitFor(() => sizes().join() === "1,1,1,2,2", { subject: "equal shares" });
    await Promise.all(kernels.map((kernel) => kernel.stop()));
  });

  fact(
    "lanes of a process that hangs are taken over after the lease, and its checks are refused",
    async (processes) => {
      const clock = virtualClock();
      await using hung = await processes.start({ clock });
      const first = runLanes(hung, "projection", 4);
      await waitFor(async () => (await clock.advance(20), first.lanes.size === 4), { subject: "all lanes" });
      await using other = await processes.start();
      const stale = [...first.lanes.values()];
      const second = runLanes(other, "projection", 4);
      await processes.time.advance(LEASE_MS);
      await waitFor(() => second.lanes.size === 4, { subject: "all lanes in the other process" });
      for (const lane of stale) {
        await expect(hung.db.transaction((tx) => lane.check(tx))).rejects.toMatchObject({
          code: "DURABLE_LEASE_LOST",
        });
        expect(lane.signal.aborted).toBe(true);
      }
    },
  );

  fact("a process that resumes after a stall gets its share again", async (processes) => {
    const clock = virtualClock();
    await using stalled = await processes.start({ clock });
    const first = runLanes(stalled, "projection", 4);
    await waitFor(async () => (await clock.advance(20), first.lanes.size === 4), { subject: "all lanes" });
    await using other = await processes.start();
    const second = runLanes(other, "projection", 4);
    await processes.time.advance(LEASE_MS);
    await waitFor(() => second.lanes.size === 4, { subject: "all lanes in the other process" });
    await clock.advance(LEASE_MS / 3); // its renewals find the leases lost
    await waitFor(async () => (await clock.advance(20), first.lanes.size === 2 && second.lanes.size === 2), {
      subject: "equal shares",
    });
  });

  fact("a lane's function is called again after it fails or returns", async (processes) => {
    await using kernel = await processes.start();
    let calls = 0;
    kernel.lanes({
      kind: "failing",
      count: 1,
      run: () => (++calls % 2 === 0 ? Promise.resolve() : Promise.reject(new Error("no"))),
    });
    await waitFor(() => calls >= 4, { subject: "four calls" });
  });

  fact("lanes end at the drain, and lanes with `endsWithStop` at the stop", async (processes) => {
    const kernel = await processes.start();
    const short = runLanes(kernel, "short", 2);
    const long = runLanes(kernel, "long", 2, { endsWithStop: true });
    await waitFor(() => short.lanes.size === 2 && long.lanes.size === 2, { subject: "all lanes" });
    await kernel.drain();
    expect(short.handle.held()).toEqual([]);
    expect(long.handle.held()).toEqual([0, 1]);
    const addedInDrain = runLanes(kernel, "late", 1, { endsWithStop: true });
    await waitFor(() => addedInDrain.lanes.size === 1, { subject: "a lane that is added in the drain" });
    await kernel.stop();
    expect([...long.handle.held(), ...addedInDrain.handle.held()]).toEqual([]);
    await using other = await processes.start();
    const next = runLanes(other, "long", 2);
    await waitFor(() => next.lanes.size === 2, { subject: "the lanes in the next process" });
  });

  fact("a lane is released to other processes only when its function has returned", async (processes) => {
    await using one = await processes.start();
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const active = new Set<number>();
    let overlaps = 0;
    const run = async ({ lane, signal }: Lane, end: Promise<void>): Promise<void> => {
      if (active.has(lane)) overlaps++;
      active.add(lane);
      await waitForAbort(signal);
      await end;
      active.delete(lane);
    };
    const first = one.lanes({ kind: "slow", count: 2, run: (lane) => run(lane, finished) });
    await waitFor(() => active.size === 2, { subject: "both lanes" });
    await using other = await processes.start();
    const second = other.lanes({ kind: "slow", count: 2, run: (lane) => run(lane, Promise.resolve()) });
    await waitFor(() => first.held().length === 1, { subject: "the first process to give one up" });
    const probe = runLanes(other, "probe", 1);
    await waitFor(() => probe.lanes.size === 1, { subject: "a poll of the second process" });
    expect(second.held()).toEqual([]);
    finish();
    await waitFor(() => second.held().length === 1, { subject: "the second process to own one" });
    expect(overlaps).toBe(0);
  });

  fact(
    "a process with a different number of lanes waits until processes with the current number have stopped",
    async (processes) => {
      const old = await processes.start();
      const oldLanes = runLanes(old, "projection", 2);
      await waitFor(() => oldLanes.lanes.size === 2, { subject: "the old lanes" });
      const warnings: string[] = [];
      await using next = await processes.start({
        log: { ...quiet, warn: (message) => void warnings.push(message) },
      });
      const nextLanes = runLanes(next, "projection", 3);
      await waitFor(() => warnings.some((text) => text.includes('"projection" with 3 lanes waits')), {
        subject: "the warning",
      });
      expect([oldLanes.lanes.size, nextLanes.lanes.size]).toEqual([2, 0]);
      await old.stop();
      await waitFor(() => nextLanes.lanes.size === 3, { subject: "the new lanes" });
    },
  );

  fact(
    "a stopping kernel waits until its lanes end, and releases lanes that do not end",
    async (processes) => {
      const clock = virtualClock();
      const warnings: string[] = [];
      const log = { ...quiet, warn: (message: string) => void warnings.push(message) };
      const kernel = await processes.start({ clock, log });
      const obedient = runLanes(kernel, "obedient", 2);
      const stubborn = kernel.lanes({ kind: "stubborn", count: 1, run: () => new Promise(() => {}) });
      await waitFor(
        async () => (await clock.advance(20), obedient.lanes.size === 2 && stubborn.held().length === 1),
        {
          subject: "three lanes",
        },
      );
      const stopped = kernel.stop();
      await waitFor(() => obedient.lanes.size === 0, { subject: "the lanes that obey" });
      await waitFor(async () => (await clock.advance(1000), warnings.length > 0), {
        subject: "the end of the grace period",
      });
      await stopped;
      expect(warnings).toEqual([expect.stringContaining('lane 0 of "stubborn" did not end')]);
      await using other = await processes.start();
      const next = runLanes(other, "stubborn", 1);
      await waitFor(() => next.lanes.size === 1, { subject: "the lane in another process" });
    },
  );

  fact("lanes that are stopped move to the other processes", async (processes) => {
    await using one = await processes.start();
    await using other = await processes.start();
    const first = runLanes(one, "projection", 2);
    const second = runLanes(other, "projection", 2);
    await waitFor(() => first.lanes.size === 1 && second.lanes.size === 1, { subject: "one lane each" });
    await first.handle.stop();
    expect(first.lanes.size).toBe(0);
    await waitFor(() => second.lanes.size === 2, { subject: "both lanes" });
    const again = runLanes(one, "projection", 2);
    await waitFor(() => again.lanes.size === 1 && second.lanes.size === 1, {
      subject: "one lane each again",
    });
  });

  fact("a process with runWork: false runs no lanes, and other processes run them", async (processes) => {
    await using web = await processes.start({
      config: { runWork: false, leaseMs: LEASE_MS, pollMaxMs: 20, pollMinMs: 1 },
    });
    await using worker = await processes.start();
    const none = runLanes(web, "projection", 2);
    const all = runLanes(worker, "projection", 2);
    await waitFor(() => all.lanes.size === 2, { subject: "both lanes" });
    expect(none.lanes.size).toBe(0);
  });

  fact("the lease of an ended owner in the same place is taken over at once", async (processes) => {
    const alive = new Set([1, 2]);
    const at = (pid: number) => (): Place => ({
      id: "here",
      pid,
      started: "0",
      isGone: (other) => !alive.has(other),
    });
    const dead = await processes.start({ clock: stoppedClock(), place: at(1) });
    await acquireFree(dead, "rebuild", "shelf");
    await using other = await processes.start({ place: at(2) });
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    alive.delete(1);
    await waitFor(() => other.acquireLease("rebuild", "shelf"), {
      subject: "the lease of the process that is gone",
    });
  });

  fact("the lease of an owner of another place is taken over only when it has expired", async (processes) => {
    const at = (id: string, pid: number) => (): Place => ({ id, pid, started: "0", isGone: () => true });
    const far = await processes.start({ clock: stoppedClock(), place: at("there", 1) });
    await acquireFree(far, "rebuild", "shelf");
    await using other = await processes.start({ place: at("here", 2) });
    const probe = await acquireFree(other, "rebuild", "probe");
    await probe.release();
    expect(await other.acquireLease("rebuild", "shelf")).toBeNull();
    await processes.time.advance(LEASE_MS);
    await acquireFree(other, "rebuild", "shelf");
  });
};
