import assert from "node:assert/strict";
import type { PortFacts, PortFixture } from "../../contract/port-contract.ts";
import type { Json, SharedValues } from "../values/shared-values.ts";

/** Guarantees of publish and subscribe. */
export const channelFacts: PortFacts<PortFixture<SharedValues>> = {
  "publish reaches the channel's subscribers in every view before it resolves": async ({ views: [a, b] }) => {
    const seen: string[] = [];
    const record = (view: string) => (message: Json) => void seen.push(`${view} ${JSON.stringify(message)}`);
    a.subscribe("tags", record("a"));
    b.subscribe("tags", record("b"));
    b.subscribe("others", record("other"));
    await whenSubscribed(a, b);
    assert.equal(await a.publish("tags", ["x"]), true);
    assert.deepEqual([a.isConnected(), b.isConnected()], [true, true]);
    assert.deepEqual(seen.toSorted(), ['a ["x"]', 'b ["x"]']);
  },
  "publish waits for asynchronous subscribers, and each gets its own copy": async ({ views: [a, b] }) => {
    const seen: Json[] = [];
    const slow = async (message: Json) => {
      (message as Json[] as unknown[]).push("mine");
      await Promise.resolve();
      seen.push(message);
    };
    a.subscribe("copies", slow);
    a.subscribe("copies", slow);
    b.subscribe("copies", slow);
    await whenSubscribed(a, b);
    await b.publish("copies", []);
    assert.deepEqual(seen, [["mine"], ["mine"], ["mine"]]);
  },
  "messages of one publisher arrive in order": async ({ views: [a, b] }) => {
    const seen: Json[] = [];
    b.subscribe("order", (message) => void seen.push(message));
    await whenSubscribed(a, b);
    await Promise.all(Array.from({ length: 20 }, (_, index) => a.publish("order", index)));
    assert.deepEqual(
      seen,
      Array.from({ length: 20 }, (_, index) => index),
    );
  },
  "unsubscribing removes one subscription and keeps the others": async ({ views: [a, b] }) => {
    const seen: string[] = [];
    const listener = () => void seen.push("twice");
    const stop = a.subscribe("news", listener);
    a.subscribe("news", listener);
    b.subscribe("news", () => void seen.push("b"))();
    stop();
    stop();
    await whenSubscribed(a, b);
    await b.publish("news", 1);
    assert.deepEqual(seen, ["twice"]);
  },
  "a failing subscriber affects neither the others nor the publisher": async ({ views: [a, b] }) => {
    const seen: Json[] = [];
    a.subscribe("faults", () => {
      throw new Error("sync");
    });
    a.subscribe("faults", () => Promise.reject(new Error("async")));
    a.subscribe("faults", (message) => void seen.push(message));
    await whenSubscribed(a, b);
    await b.publish("faults", 1);
    assert.deepEqual(seen, [1]);
  },
  "publish resolves with false if a subscriber takes longer than waitMs": async ({
    views: [a, b],
    advance,
  }) => {
    a.subscribe("stuck", () => new Promise<void>(() => {}));
    await whenSubscribed(a, b);
    const published = b.publish("stuck", 1, { waitMs: 100 });
    await advance(110);
    assert.equal(await published, false);
    assert.equal(await b.publish("idle", 1, { waitMs: 30_000 }), true);
  },
  "a waitMs above the longest timer, such as Infinity, sets no limit": async ({ views: [a, b], advance }) => {
    const gate = Promise.withResolvers<void>();
    a.subscribe("slow", () => gate.promise);
    await whenSubscribed(a, b);
    const published = [Infinity, 2 ** 31].map((waitMs) => b.publish("slow", 1, { waitMs }));
    await advance(100);
    gate.resolve();
    assert.deepEqual(await Promise.all(published), [true, true]);
  },
  "a subscriber that never settles delays the publisher by at most one second": async ({
    views: [a, b],
    advance,
  }) => {
    a.subscribe("stuck", () => new Promise<void>(() => {}));
    await whenSubscribed(a, b);
    let done = false;
    const published = b.publish("stuck", 1).then(() => (done = true));
    await advance(800);
    assert.equal(done, false);
    for (let passed = 800; !done && passed < 1500; passed += 100) await advance(100);
    assert.equal(done, true);
    await published;
  },
};

/** Waits for the subscriptions of both views: calls of one view are processed in order. */
const whenSubscribed = async (a: SharedValues, b: SharedValues): Promise<void> => {
  await a.get("ready");
  await b.get("ready");
};
