import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { DatabaseError } from "@framework/database";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast } from "./harness/poison-messages.ts";
import { takeItems } from "./harness/take-items.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of the inbox: effects in the app's database happen once. */
export const inboxFacts: PortFacts<BrokerFixture> = {
  "with the inbox, an event that is sent twice takes effect once": async (fixture) => {
    await using one = new TestApp(fixture);
    const table = effectsTable(one);
    let calls = 0;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, dedupe: "inbox", concurrency: 1 },
      async ({ id }, { tx }) => {
        calls++;
        await tx.execute(`INSERT INTO ${table} (message) VALUES ($1)`, [id]);
      },
    );
    await one.start();
    await one.createEffects();
    for (const id of ["a", "b", "a", "a"]) await one.messaging.send(one.topic, { type: "t", id });
    await until("all to be done", () => one.messaging.status()[0]?.done === 4);
    assert.equal(await readEffects(one, table), "a,b");
    assert.equal(calls, 2);
    assert.equal(one.messaging.status()[0]?.duplicates, 2);
  },
  "with the inbox, the writes of a failed try are rolled back": async (fixture) => {
    await using one = new TestApp(fixture);
    const table = effectsTable(one);
    let calls = 0;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, dedupe: "inbox", retry: fast, concurrency: 1 },
      async (message, { tx }) => {
        await tx.execute(`INSERT INTO ${table} (message) VALUES ($1)`, [`${message.id} ${++calls}`]);
        if (calls < 3) throw new Error("not yet");
      },
    );
    await one.start();
    await one.createEffects();
    await one.messaging.send(one.topic, { type: "t", id: "a" });
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.equal(await readEffects(one, table), "a 3");
  },
  "with the inbox, a try that runs again after a conflict receives the original data": async (fixture) => {
    await using one = new TestApp(fixture);
    const table = effectsTable(one);
    let runs = 0;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, dedupe: "inbox", retry: fast, concurrency: 1 },
      async ({ data, attempt }, { tx }) => {
        const isFirst = ++runs === 1;
        for (const item of takeItems(data)) {
          await tx.execute(`INSERT INTO ${table} (message) VALUES ($1)`, [`${item} ${attempt}`]);
          if (isFirst && item === "b")
            throw new DatabaseError("deadlock", "a deadlock", { sqlCode: "40P01" });
        }
      },
    );
    await one.start();
    await one.createEffects();
    await one.send({ items: ["a", "b", "c"] });
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.equal(await readEffects(one, table), "a 1,b 1,c 1");
    assert.equal(runs, 2);
  },
  "with the inbox, a try that calls retry writes nothing": async (fixture) => {
    await using one = new TestApp(fixture);
    const table = effectsTable(one);
    one.messaging.subscribe(
      one.topic,
      { group: one.group, dedupe: "inbox", retry: fast, concurrency: 1 },
      async ({ attempt }, context) => {
        await context.tx.execute(`INSERT INTO ${table} (message) VALUES ($1)`, [String(attempt)]);
        if (attempt === 1) context.retry();
      },
    );
    await one.start();
    await one.createEffects();
    await one.messaging.send(one.topic, { type: "t", id: "a" });
    await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    assert.equal(await readEffects(one, table), "2");
  },
  "with the inbox, a later process does not handle a message that is done": async (fixture) => {
    const handled: string[] = [];
    for (const process of ["first", "second"]) {
      await using one = new TestApp(fixture);
      if (fixture.databaseUrl === undefined) return; // each process has its own database
      one.messaging.subscribe(one.topic, { group: one.group, dedupe: "inbox", concurrency: 1 }, ({ id }) => {
        handled.push(`${process} ${id}`);
      });
      await one.start();
      await one.messaging.send(one.topic, { type: "t", id: "same" });
      await until("the message to be done", () => one.messaging.status()[0]?.done === 1);
    }
    assert.deepEqual(handled, ["first same"]);
  },
  "with the inbox, a message takes effect once for each group": async (fixture) => {
    await using one = new TestApp(fixture);
    const handled: string[] = [];
    const groups = [one.group, `${one.group}-other`];
    for (const group of groups)
      one.messaging.subscribe(
        one.topic,
        { group, dedupe: "inbox", concurrency: 1 },
        ({ meta }) => void handled.push(meta.group),
      );
    await one.start();
    for (let n = 0; n < 2; n++) await one.messaging.send(one.topic, { type: "t", id: "same" });
    await until("all to be done", () => one.messaging.status().every(({ done }) => done === 2));
    await shortPause();
    assert.deepEqual(handled.toSorted(), groups.toSorted());
  },
  "context.tx throws without the inbox": async (fixture) => {
    await using one = new TestApp(fixture);
    const codes: unknown[] = [];
    one.messaging.subscribe(one.topic, { group: one.group }, (_message, context) => {
      try {
        assert.ok(context.tx);
      } catch (error) {
        codes.push((error as { code?: unknown }).code);
      }
    });
    await one.start();
    await one.send(1);
    await until("the handler", () => codes.length === 1);
    assert.deepEqual(codes, ["MESSAGING_BAD_CONFIG"]);
  },
};

const effectsTable = ({ topic }: TestApp): string => `effects_${topic.replaceAll("-", "_")}`;

const readEffects = async ({ app }: TestApp, table: string): Promise<string> => {
  const rows = await app.db.query<{ message: string }>(`SELECT message FROM ${table} ORDER BY message`);
  return Array.from(rows, ({ message }) => message).join();
};
