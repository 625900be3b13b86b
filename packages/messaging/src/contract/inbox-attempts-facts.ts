import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast, once } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of the inbox: which attempts count, and which messages run alone. */
export const inboxAttemptsFacts: PortFacts<BrokerFixture> = {
  "with the inbox, a try that a stop aborts does not count": async (fixture) => {
    if (fixture.databaseUrl === undefined) return; // each process has its own database
    const attempts: number[] = [];
    {
      await using one = new TestApp(fixture, { drainMs: 50 });
      const options = { group: one.group, dedupe: "inbox", retry: once } as const;
      one.messaging.subscribe(one.topic, options, async ({ attempt, signal }) => {
        attempts.push(attempt);
        const { promise, reject } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        await promise;
      });
      await one.start();
      await one.messaging.send(one.topic, { type: "t", id: "a" });
      await until("the handler to run", () => attempts.length === 1);
    }
    await using second = new TestApp(fixture);
    const options = { group: second.group, dedupe: "inbox", retry: once } as const;
    second.messaging.subscribe(second.topic, options, ({ attempt }) => void attempts.push(attempt));
    await second.start();
    await until("the message to be done", () => second.messaging.status()[0]?.done === 1);
    assert.deepEqual(attempts, [1, 1]);
  },
  "with the inbox, an open circuit does not count as a try": async (fixture) => {
    await using one = new TestApp(fixture);
    const attempts: number[] = [];
    const options = { group: one.group, dedupe: "inbox", retry: once } as const;
    one.messaging.subscribe(one.topic, options, ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length < 3)
        throw Object.assign(new Error("open"), { name: "CircuitOpenError", extras: { retry_after: 0.05 } });
    });
    await one.start();
    await one.messaging.send(one.topic, { type: "t", id: "a" });
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.deepEqual(attempts, [1, 1, 1]);
  },
  "with the inbox, a replayed parked message has all its tries again": async (fixture) => {
    await using one = new TestApp(fixture);
    const attempts: number[] = [];
    const options = { group: one.group, dedupe: "inbox", retry: fast, deadLetter: "parked" } as const;
    one.messaging.subscribe(one.topic, options, ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length < 7) throw new Error("not yet");
    });
    await one.start();
    await one.messaging.send(one.topic, { type: "t", id: "a" });
    const { parked } = one.app.durable;
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    await until("the dead letter", async () => (await parked.list(filter)).items.length === 1);
    await until("its tries to be reset", async () => (await attemptsIn(one)).length === 0);
    assert.deepEqual(await parked.replay(filter), { replayed: 1, failed: [] });
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.deepEqual(attempts, [1, 2, 3, 4, 5, 1, 2]);
  },
  "with the inbox, tries of earlier processes count, and the last error is the cause": async (fixture) => {
    await using one = new TestApp(fixture);
    const attempts: number[] = [];
    const options = { group: one.group, dedupe: "inbox", retry: fast, deadLetter: "parked" } as const;
    one.messaging.subscribe(one.topic, options, ({ attempt }) => {
      attempts.push(attempt);
      throw new RangeError("broken");
    });
    await one.start();
    await insertAttempts(one, { id: "a", attempts: 3, ended: 3 });
    await one.messaging.send(one.topic, { type: "t", id: "a", source: "/own" });
    const { parked } = one.app.durable;
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    await until("the dead letter", async () => (await parked.list(filter)).items.length === 1);
    const { items } = await parked.list(filter);
    assert.deepEqual(attempts, [4, 5]);
    assert.deepEqual([items[0]?.errorClass, items[0]?.attempts], ["RangeError", 5]);
  },
  "with the inbox, attempts at messages that may kill their process count, and these messages run one at a time":
    async (fixture) => {
      await using one = new TestApp(fixture);
      const attempts = new Map<string, number>();
      const counted: number[] = [];
      const options = { group: one.group, dedupe: "inbox", retry: fast, concurrency: 8 } as const;
      one.messaging.subscribe(one.topic, options, async ({ id, attempt }, { tx }) => {
        attempts.set(id, attempt);
        if (id.startsWith("other")) return;
        // The attempts that would count if the process died now.
        const sql =
          "SELECT SUM(attempts) FROM framework_inbox WHERE consumer LIKE $1 AND message LIKE 'suspect%' AND done_at IS NULL";
        const sum = Number(await tx.fetchValue(sql, [`% ${one.topic} ${one.group}`]));
        counted.push(sum - (3 - counted.length));
        await shortPause(5);
      });
      await one.start();
      const suspects = ["suspect a", "suspect b", "suspect c"];
      for (const id of suspects) await insertAttempts(one, { id, attempts: 1, ended: 0 });
      for (const id of [...suspects, "other 1", "other 2", "other 3"])
        await one.messaging.send(one.topic, { type: "t", id, source: "/own" });
      await until("all to be done", () => one.messaging.status()[0]?.done === 6);
      assert.deepEqual(counted, [1, 1, 1]);
      assert.deepEqual(
        suspects.map((id) => attempts.get(id)),
        [2, 2, 2],
      );
    },
  "with the inbox, a message whose tries were all lost is a dead letter, and does not run": async (
    fixture,
  ) => {
    await using one = new TestApp(fixture);
    let calls = 0;
    const options = { group: one.group, dedupe: "inbox", retry: fast, deadLetter: "parked" } as const;
    one.messaging.subscribe(one.topic, options, () => void calls++);
    await one.start();
    await insertAttempts(one, { id: "a", attempts: 5, ended: 0 });
    await one.messaging.send(one.topic, { type: "t", id: "a", source: "/own" });
    const { parked } = one.app.durable;
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    await until("the dead letter", async () => (await parked.list(filter)).items.length === 1);
    const { items } = await parked.list(filter);
    assert.deepEqual([calls, items[0]?.errorCode], [0, "MESSAGING_LOST"]);
  },
};

/** Returns the attempts that the inbox has counted for the subscription of a test. */
const attemptsIn = async ({ app, topic, group }: TestApp): Promise<readonly number[]> => {
  const sql = "SELECT attempts FROM framework_inbox WHERE consumer LIKE $1";
  const rows = await app.db.query<{ attempts: number }>(sql, [`% ${topic} ${group}`]);
  return Array.from(rows, ({ attempts }) => attempts);
};

/** Writes the attempts of earlier processes for a message with the source `/own`. */
const insertAttempts = async (
  { app, topic, group, messaging }: TestApp,
  { id, attempts, ended }: { readonly id: string; readonly attempts: number; readonly ended: number },
): Promise<void> => {
  const consumer = `${messaging.status()[0]?.broker} ${topic} ${group}`;
  const sql =
    "INSERT INTO framework_inbox (consumer, message, attempts, ended, seen_at) VALUES ($1, $2, $3, $4, $5)";
  await app.db.execute(sql, [consumer, `${id}\n/own`, attempts, ended, Date.now()]);
};
