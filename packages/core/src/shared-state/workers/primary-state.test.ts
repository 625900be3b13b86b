import { expect, test } from "@jest/globals";
import { sharedStateContract } from "../contract/shared-state-contract.ts";
import { cluster } from "./cluster.test-kit.ts";
import { memoryLink } from "./memory-link.ts";
import { isStateMessage } from "./primary-link.ts";
import { primaryState } from "./primary-state.ts";
import { virtualClock } from "../../runtime/virtual-clock.ts";

const unavailable = { code: "CORE_SHARED_STATE_UNAVAILABLE", status: 503, headers: { "retry-after": "1" } };
const unavailableResult = { status: "rejected", reason: unavailable };
const settle = async (call: unknown) => (await Promise.allSettled([call as Promise<unknown>]))[0];

sharedStateContract(test, () => {
  const { join, advance } = cluster();
  return { views: [join().state, join().state], advance };
});

test("each of several concurrent calls gets its own result", async () => {
  const { join } = cluster();
  const [a, b] = [join().state, join().state];
  await Promise.all(
    Array.from({ length: 300 }, async (_, index) =>
      (index % 2 ? a : b).values.set(`k${index}`, index, { ttlMs: 1000 }),
    ),
  );
  const read = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => (index % 2 ? b : a).values.get(`k${index}`)),
  );
  expect(read).toEqual(Array.from({ length: 300 }, (_, index) => index));
});

test("a call without a result fails after 30 seconds, and a later result is ignored", async () => {
  const clock = virtualClock();
  const link = memoryLink();
  const calls: { id: number }[] = [];
  link.primary.onMessage((message) => void calls.push(message as { id: number }));
  const state = primaryState(link.worker, { clock });
  const outcome = settle(state.values.get("k"));
  await clock.advance(29_999);
  expect(clock.pending).toBe(1);
  await clock.advance(1);
  expect(await outcome).toMatchObject(unavailableResult);
  expect(clock.pending).toBe(0);
  const [expired] = calls;
  link.primary.send({ "@framework": "shared-state", type: "result", id: expired?.id, result: "1" });
  await clock.advance(1);
  const second = state.values.get("k");
  await clock.advance(0);
  link.primary.send({ "@framework": "shared-state", type: "result", id: calls[1]?.id, result: "2" });
  expect(await second).toBe(2);
});

test("closing the link fails pending and later calls", async () => {
  const clock = virtualClock();
  const link = memoryLink();
  const state = primaryState(link.worker, { clock });
  const waiting = [settle(state.values.get("a")), settle(state.values.publish("c", 1))];
  link.close();
  expect(await Promise.all(waiting)).toMatchObject([unavailableResult, unavailableResult]);
  expect(clock.pending).toBe(0);
  await expect(state.values.add("a", 1, { ttlMs: 1 })).rejects.toMatchObject(unavailable);
  state.values.subscribe("c", () => {})();
});

test("a link that cannot send fails the call at once", async () => {
  const clock = virtualClock();
  const broken = {
    ...memoryLink().worker,
    send: () => {
      throw new Error("EPIPE");
    },
  };
  const state = primaryState(broken, { clock });
  await expect(state.values.get("a")).rejects.toMatchObject({ ...unavailable, cause: new Error("EPIPE") });
  expect(clock.pending).toBe(0);
});

test("calls above maxOutstanding are rejected", async () => {
  const clock = virtualClock();
  const state = primaryState(memoryLink().worker, { clock, maxOutstanding: 2 });
  const waiting = [settle(state.values.get("a")), settle(state.values.get("b"))];
  await expect(state.values.get("c")).rejects.toMatchObject(unavailable);
  expect(clock.pending).toBe(2);
  await clock.advance(30_000);
  expect(await Promise.all(waiting)).toMatchObject([unavailableResult, unavailableResult]);
});

test("errors of the primary keep their code", async () => {
  const { join } = cluster();
  const { state } = join();
  await state.values.set("k", "text", { ttlMs: 1000 });
  await expect(state.values.add("k", 1, { ttlMs: 1000 })).rejects.toMatchObject({
    code: "CORE_SHARED_STATE_NOT_A_COUNTER",
    message: expect.stringContaining('"k"'),
  });
});

test("the primary replies to an unknown operation with a failure", async () => {
  const { hub, clock } = cluster();
  const { worker } = hub.connect();
  const sent: unknown[] = [];
  worker.onMessage((message) => void sent.push(message));
  worker.send({ "@framework": "shared-state", type: "call", id: 7, call: { op: "increase" } });
  await clock.advance(0);
  expect(sent).toEqual([
    expect.objectContaining({ type: "failure", id: 7, code: "CORE_SHARED_STATE_UNAVAILABLE" }),
  ]);
});

test("other messages on the channel are ignored", async () => {
  const { join, clock } = cluster();
  const { state, link } = join();
  for (const other of [{ type: "call", id: 1 }, { "@framework": "reload" }, []]) {
    link.worker.send(other);
    link.primary.send(other);
  }
  await clock.advance(0);
  expect(await state.values.get("k")).toBeUndefined();
  expect([null, "x", { "@framework": 1 }].some(isStateMessage)).toBe(false);
});

test("a publication waits for a busy worker, and fails after 30 s if it never acknowledges", async () => {
  const { hub, join, clock } = cluster();
  const busy = hub.connect().worker;
  const received: { readonly id: number }[] = [];
  busy.onMessage((message) => void received.push(message as { id: number }));
  busy.send({ "@framework": "shared-state", type: "subscribe", channel: "c" });
  const { state } = join();
  let done: unknown = null;
  const published = state.values.publish("c", 1).then((all) => (done = all));
  await clock.advance(20_000);
  expect(done).toBe(null);
  busy.send({ "@framework": "shared-state", type: "received", id: received[0]?.id });
  await clock.advance(0);
  expect(done).toBe(true);
  await published;
  const unacknowledged = settle(state.values.publish("c", 2));
  await clock.advance(30_000);
  expect(await unacknowledged).toMatchObject(unavailableResult);
});

test("a publication with waitMs resolves with false when a worker has not acknowledged it in time", async () => {
  const { hub, join, clock } = cluster();
  hub.connect().worker.send({ "@framework": "shared-state", type: "subscribe", channel: "c" });
  const { state } = join();
  const late = state.values.publish("c", 1, { waitMs: 50 });
  await clock.advance(51);
  expect(await late).toBe(false);
  expect(await state.values.publish("d", 1, { waitMs: 50 })).toBe(true);
});

test("a worker above maxUnacknowledged is reported once and gets no more messages; publishers wait for its exit", async () => {
  const reports: unknown[] = [];
  const { hub, state, clock } = cluster({ maxUnacknowledged: 2, onStuck: (link) => reports.push(link) });
  const { worker, primary, close } = hub.connect();
  let received = 0;
  worker.onMessage(() => received++);
  worker.send({ "@framework": "shared-state", type: "subscribe", channel: "c" });
  await clock.advance(0);
  let published = 0;
  for (let index = 0; index < 5; index++) void state.values.publish("c", index).then(() => published++);
  await clock.advance(1000);
  expect([received, published]).toEqual([2, 0]);
  expect(reports).toEqual([primary]);
  close();
  await clock.advance(0);
  expect(published).toBe(5);
});

test("acknowledged messages clear their timers and do not count against the bound", async () => {
  const { join, state, clock } = cluster({
    maxUnacknowledged: 2,
    onStuck: () => {
      throw new Error("stuck");
    },
  });
  const seen: unknown[] = [];
  const worker = join();
  worker.state.values.subscribe("c", (message) => void seen.push(message));
  await worker.state.values.get("ready");
  for (let index = 0; index < 5; index++) await state.values.publish("c", index);
  expect([seen, clock.pending]).toEqual([[0, 1, 2, 3, 4], 0]);
});

test("messages of workers reach the primary's subscribers, and messages of the primary reach workers", async () => {
  const { join, state } = cluster();
  const worker = join();
  const seen: unknown[] = [];
  state.values.subscribe("c", (message) => void seen.push(["primary", message]));
  worker.state.values.subscribe("c", (message) => void seen.push(["worker", message]));
  await worker.state.values.publish("c", 1);
  await state.values.publish("c", 2);
  expect(seen).toEqual([
    ["primary", 1],
    ["worker", 1],
    ["primary", 2],
    ["worker", 2],
  ]);
});

test("a stopped primary serves neither present nor later workers", async () => {
  const { join, stop, clock } = cluster();
  const early = join();
  stop();
  const late = join();
  const outcomes = [settle(early.state.values.get("k")), settle(late.state.values.get("k"))];
  await clock.advance(30_000);
  expect(await Promise.all(outcomes)).toMatchObject([unavailableResult, unavailableResult]);
});
