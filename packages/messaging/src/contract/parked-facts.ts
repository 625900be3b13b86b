import assert from "node:assert/strict";
import type { PortFacts } from "@framework/core/testing";
import { databaseInFile } from "@framework/database/testing";
import type { BrokerFixture } from "./harness/broker-fixture.ts";
import { fast, once } from "./harness/poison-messages.ts";
import { TestApp } from "./harness/test-app.ts";
import { shortPause, until } from "./harness/until.ts";

/** Tests of dead letters in the parked work of the app's database. */
export const parkedFacts: PortFacts<BrokerFixture> = {
  "a dead letter is parked once, with its body, headers, key, error and tries": async (fixture) => {
    await using one = new TestApp(fixture);
    one.messaging.subscribe(one.topic, { group: one.group, retry: fast, deadLetter: "parked" }, () => {
      throw new RangeError("broken");
    });
    await one.start();
    await one.messaging.send(one.topic, {
      type: "t",
      id: "poison",
      key: "k",
      data: { a: "ä" },
      headers: { "x-shelf": "7" },
    });
    const { parked } = one.app.durable;
    const name = `${one.topic} ${one.group}`;
    await until(
      "the dead letter",
      async () => (await parked.list({ source: "message", name })).items.length === 1,
    );
    await shortPause();
    const { items } = await parked.list({ source: "message", name });
    assert.equal(items.length, 1);
    const details = await parked.inspect(items[0]?.id ?? "");
    assert.ok(details);
    assert.deepEqual(
      [details.key, details.errorClass, details.errorMessage, details.attempts],
      ["k", "RangeError", "broken", 5],
    );
    assert.equal(details.headers["x-shelf"], "7");
    assert.ok((details.payload as { text: string }).text.includes('{"a":"ä"}'));
    assert.equal(details.stack?.includes("RangeError"), true);
  },
  "a replayed parked message is handled again, only by its group": async (fixture) => {
    await using one = new TestApp(fixture);
    const got: string[] = [];
    let isBroken = true;
    one.messaging.subscribe(
      one.topic,
      { group: one.group, retry: once, deadLetter: "parked" },
      ({ id, data }) => {
        if (isBroken) throw new Error("broken");
        got.push(`first ${id} ${JSON.stringify(data)}`);
      },
    );
    one.messaging.subscribe(
      one.topic,
      { group: `${one.group}-other` },
      ({ id }) => void got.push(`other ${id}`),
    );
    await one.start();
    await one.messaging.send(one.topic, { type: "t", id: "poison", key: "k", data: { a: 1 } });
    const { parked } = one.app.durable;
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    await until("the dead letter", async () => (await parked.list(filter)).items.length === 1);
    isBroken = false;
    assert.deepEqual(await parked.replay(filter), { replayed: 1, failed: [] });
    await until("both groups", () =>
      ["first", "other"].every((name) => got.some((text) => text.startsWith(name))),
    );
    await shortPause();
    assert.deepEqual(got.toSorted(), ['first poison {"a":1}', "other poison"]);
  },
  "an app that has not started replays a parked message, unless the broker is in memory": async (fixture) => {
    await using storage = databaseInFile();
    const shared = { ...fixture, databaseUrl: fixture.databaseUrl ?? storage.url };
    await using one = new TestApp(shared);
    await using operator = new TestApp(shared);
    const got: unknown[] = [];
    let isBroken = true;
    for (const { messaging, topic, group } of [one, operator])
      messaging.subscribe(topic, { group, retry: once, deadLetter: "parked" }, ({ data }) => {
        if (isBroken) throw new Error("broken");
        got.push(data);
      });
    await one.start();
    await one.send(7);
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    await until(
      "the dead letter",
      async () => (await one.app.durable.parked.list(filter)).items.length === 1,
    );
    isBroken = false;
    const { replayed, failed } = await operator.app.durable.parked.replay(filter);
    if (fixture.adapter().capabilities.isInProcess) {
      assert.match(failed[0]?.reason ?? "", /only the serving processes have its messages/);
      assert.equal((await one.app.durable.parked.list(filter)).items.length, 1);
      return;
    }
    assert.deepEqual([replayed, failed], [1, []]);
    await until("the message", () => got.length === 1);
    assert.deepEqual(got, [7]);
  },
  "a discarded parked message is removed": async (fixture) => {
    await using one = new TestApp(fixture);
    one.messaging.subscribe(
      one.topic,
      { group: one.group, retry: once, deadLetter: "parked" },
      (_m, context) => context.reject("no such book"),
    );
    await one.start();
    await one.send(1);
    const { parked } = one.app.durable;
    const filter = { source: "message", name: `${one.topic} ${one.group}` };
    await until("the dead letter", async () => (await parked.list(filter)).items.length === 1);
    const { items } = await parked.list(filter);
    assert.equal(items[0]?.errorCode, "MESSAGING_REJECTED");
    assert.equal(await parked.discard([items[0]?.id ?? ""], { note: "a test" }), 1);
    assert.equal((await parked.list(filter)).items.length, 0);
  },
};
