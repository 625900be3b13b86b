import { virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ActiveCalls } from "./active-calls.ts";
import { GrpcCall } from "./grpc-call.ts";
import { ReceivedMetadata } from "./call-metadata.ts";

const draining = new AbortController().signal;

const callUntil = (deadlineMs: number | null): GrpcCall =>
  new GrpcCall({
    name: "a.B/C",
    metadata: new ReceivedMetadata({ fields: () => ({}) }),
    deadlineMs,
    connection: { peer: null, certificate: null },
    draining,
  });

test("each call is aborted at its deadline, regardless of the order in which calls begin and end", async () => {
  const step = fc.record({
    waitMs: fc.nat(30),
    limitMs: fc.option(fc.nat(10).map((tens) => tens * 10)),
    endsAfterMs: fc.option(fc.nat(6).map((tens) => tens * 10 + 5)), // never at a deadline
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const clock = virtualClock();
      const calls = new ActiveCalls(clock);
      const ends: [actual: number | null, expected: number | null][] = [];
      for (const { waitMs, limitMs, endsAfterMs } of steps) {
        await clock.advance(waitMs);
        const from = clock.now();
        const call = callUntil(limitMs === null ? null : clock.date() + limitMs);
        const end = ends.push([null, null]) - 1;
        const isAborted = limitMs !== null && (endsAfterMs === null || Math.max(1, limitMs) < endsAfterMs);
        ends[end] = [null, isAborted ? from + Math.max(1, limitMs) : null];
        call.onAbort({
          aborted: () => {
            ends[end] = [clock.now(), ends[end]?.[1] ?? null];
            calls.delete(call);
          },
        });
        calls.add(call);
        if (endsAfterMs !== null) clock.after(endsAfterMs, () => (call.settle(), calls.delete(call)));
      }
      await clock.advance(1000);
      expect(ends.map(([actual]) => actual)).toEqual(ends.map(([, expected]) => expected));
    }),
    { numRuns: 200 },
  );
});

test("a limit above the maximum delay of a timer is kept, and no timer waits longer than that", async () => {
  const clock = virtualClock();
  const delays: number[] = [];
  const after: typeof clock.after = (delayMs, task) => (delays.push(delayMs), clock.after(delayMs, task));
  const calls = new ActiveCalls({ ...clock, now: clock.now, date: clock.date, every: clock.every, after });
  const limitMs = 30 * 86_400_000;
  const call = callUntil(clock.date() + limitMs);
  calls.add(call);
  await clock.advance(limitMs - 1);
  expect(call.hasEnded).toBe(false);
  await clock.advance(1);
  expect(call.aborted).toMatchObject({ status: "DEADLINE_EXCEEDED" });
  expect(Math.max(...delays)).toBeLessThanOrEqual(2_147_483_647);
});

test("abortAll aborts every call in progress", () => {
  const calls = new ActiveCalls(virtualClock());
  const [first, second] = [callUntil(null), callUntil(null)];
  calls.add(first);
  calls.add(second);
  calls.delete(second);
  expect(calls.abortAll(new Error("stop") as never)).toBe(1);
  expect([first.hasEnded, second.hasEnded]).toEqual([true, false]);
});
