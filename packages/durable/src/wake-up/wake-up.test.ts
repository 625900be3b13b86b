import { inProcessState } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import { virtualClock } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel } from "../feature.ts";
import { Coalesced } from "./coalesced.ts";
import { type PollOutcome, PollLoop } from "./poll-loop.ts";

const newLoop = (results: (PollOutcome | Error)[], untilReply: Promise<void> | null = null) => {
  const clock = virtualClock();
  const polls: number[] = [];
  const errors: unknown[] = [];
  const loop = new PollLoop({
    clock,
    minMs: 50,
    maxMs: 1000,
    pollOnce: async () => {
      polls.push(clock.now());
      if (untilReply !== null) await untilReply;
      const result = results.shift() ?? "none";
      if (result instanceof Error) throw result;
      return result;
    },
    onError: (error) => errors.push(error),
  });
  loop.begin();
  return { clock, polls, errors, loop };
};

test("pauses double from the shortest to the longest while nothing is found", async () => {
  const { clock, polls } = newLoop([]);
  await clock.advance(4000);
  expect(polls).toEqual([0, 50, 150, 350, 750, 1550, 2550, 3550]);
});

test("the loop polls again at once while there is more, and after the shortest pause when something was found", async () => {
  const { clock, polls } = newLoop(["more", "more", "none", "none", "some", "none"]);
  await clock.advance(600);
  expect(polls).toEqual([0, 0, 0, 50, 150, 200, 300, 500]);
});

test("a wake-up causes a poll at once, and a wake-up during a poll causes another poll", async () => {
  const { clock, polls, loop } = newLoop([]);
  await clock.advance(1000);
  const before = polls.length;
  loop.wake();
  loop.wake();
  await clock.advance(0);
  expect(polls.slice(before)).toEqual([1000, 1000]);
});

test("a failed poll is reported and followed by a pause, even if the loop was woken", async () => {
  const { clock, polls, errors, loop } = newLoop([new Error("away"), new Error("away")]);
  loop.wake();
  await clock.advance(100);
  expect(polls).toEqual([0, 50]);
  expect(errors).toHaveLength(2);
});

test("an ended loop does not poll, and its end waits for the running poll", async () => {
  const reply = Promise.withResolvers<void>();
  const { clock, polls, loop } = newLoop([], reply.promise);
  let hasEnded = false;
  const end = loop.end().then(() => (hasEnded = true));
  loop.wake();
  await clock.advance(10_000);
  expect(hasEnded).toBe(false);
  reply.resolve();
  await end;
  loop.wake();
  await clock.advance(10_000);
  expect(polls).toEqual([0]);
});

test("a channel is sent at once and then at most once per period", async () => {
  const clock = virtualClock();
  const sent: string[] = [];
  const coalesced = new Coalesced({
    clock,
    everyMs: 10,
    send: async (channel) => void sent.push(`${channel} ${clock.now()}`),
  });
  for (let at = 0; at < 25; at++) {
    coalesced.send("jobs");
    if (at === 12) coalesced.send("mail");
    await clock.advance(1);
  }
  await clock.advance(100);
  expect(sent).toEqual(["jobs 0", "jobs 10", "mail 12", "jobs 20", "jobs 30"]);
});

test("sends of one channel never overlap", async () => {
  const clock = virtualClock();
  const sent: number[] = [];
  const reply = Promise.withResolvers<void>();
  const coalesced = new Coalesced({
    clock,
    everyMs: 10,
    send: (_channel) => (sent.push(clock.now()), reply.promise),
  });
  coalesced.send("jobs");
  await clock.advance(50);
  coalesced.send("jobs");
  await clock.advance(50);
  expect(sent).toEqual([0]);
  reply.resolve();
  await clock.advance(10);
  expect(sent).toHaveLength(2);
});

test("after a send that failed, the next signal is sent", async () => {
  const clock = virtualClock();
  let sends = 0;
  const send = () => (++sends === 1 ? Promise.reject(new Error("away")) : Promise.resolve());
  const coalesced = new Coalesced({ clock, everyMs: 10, send });
  coalesced.send("jobs");
  await clock.advance(10);
  coalesced.send("jobs");
  await clock.advance(10);
  expect(sends).toBe(2);
});

test("a signal reaches listeners of this process at once, and listeners of other workers through the shared state", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const shared = inProcessState().values;
  const [one, other] = [createKernel(db, { shared }), createKernel(db, { shared })];
  await one.start();
  await other.start();
  const heard: string[] = [];
  one.wakeUp.on("jobs", () => heard.push("one"));
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  other.wakeUp.on("jobs", () => (heard.push("other"), resolve()));
  one.wakeUp.signal("jobs");
  expect(heard[0]).toBe("one");
  await reached;
  expect(heard).toEqual(["one", "other"]);
  await one.stop();
  await other.stop();
  await db.close();
});

test("a signal after a transaction is sent when it commits, and not when it is rolled back", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  await using kernel = createKernel(db);
  let signals = 0;
  kernel.wakeUp.on("jobs", () => signals++);
  await db.transaction(async (tx) => {
    kernel.wakeUp.signalAfter(tx, "jobs");
    expect(signals).toBe(0);
  });
  expect(signals).toBe(1);
  const undone = db.transaction(async (tx) => {
    kernel.wakeUp.signalAfter(tx, "jobs");
    throw new Error("no");
  });
  await expect(undone).rejects.toThrow("no");
  expect(signals).toBe(1);
  await db.close();
});
