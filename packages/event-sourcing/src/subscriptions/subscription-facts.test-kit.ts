import assert from "node:assert/strict";
import type { StandardSchema } from "@framework/core";
import { type PortContract, portContract } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { allEvents, errorOf, type EventStoreFixture, plain, same } from "../contract/store-fixture.ts";
import { type EventType, eventType } from "../events/event-type.ts";

const append = async (store: Awaited<ReturnType<EventStoreFixture["open"]>>, from: number, to: number) => {
  let position = "";
  for (let at = from; at < to; at++)
    ({ position } = await store.append(`s-${at % 3}`, plain(at % 2 === 0 ? "Even" : "Odd", `id-${at}`)));
  return position;
};

interface Person {
  readonly id: string;
  readonly name: string;
}

const schema: StandardSchema<Person> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Person }) },
};

const Registered: EventType<"Registered", Person> = eventType("Registered", schema, {
  personal: { subject: ({ id }) => id, fields: ["name"], placeholders: { name: "(forgotten)" } },
});

/** Contract tests of subscriptions, for every database. */
export const subscriptionsContract: PortContract<EventStoreFixture> = portContract("subscriptions", {
  "a subscription gets present and later events once, in the global order": async ({ open }) => {
    const store = await open();
    await append(store, 0, 10);
    const seen: string[] = [];
    await using subscription = store.subscribe({ batchSize: 3 }, ({ id }) => void seen.push(id));
    const last = await append(store, 10, 25);
    await waitFor(() => subscription.position >= last);
    same(
      seen,
      (await allEvents(store)).map(({ id }) => id),
    );
  },
  "a subscription starts after a position, and gets only the given types": async ({ open }) => {
    const store = await open();
    const after = await append(store, 0, 10);
    const last = await append(store, 10, 20);
    const seen: string[] = [];
    await using subscription = store.subscribe({ after, types: ["Odd"] }, ({ id }) => void seen.push(id));
    await waitFor(() => subscription.position >= last);
    same(seen, ["id-11", "id-13", "id-15", "id-17", "id-19"]);
  },
  "a subscription with no types, or too many, is refused": async ({ open }) => {
    const store = await open();
    for (const types of [[], Array.from({ length: 1001 }, String)])
      assert.throws(() => store.subscribe({ types }, () => {}), { code: "EVENTS_BAD_READ" });
  },
  "while a handler works, at most one batch is in memory and nothing is read": async ({ open, db }) => {
    const store = await open();
    await append(store, 0, 30);
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    let running = 0;
    await using subscription = store.subscribe({ batchSize: 5 }, async ({ id }) => {
      assert.equal(++running, 1);
      seen.push(id);
      await gate.promise;
      running--;
    });
    await waitFor(() => seen.length > 0);
    await db.execute("DELETE FROM framework_events WHERE position > 5"); // the batch in memory is still delivered
    const { position } = await store.append("s-9", plain("Even", "last"));
    assert.equal(seen.length, 1);
    gate.resolve();
    await waitFor(() => subscription.position >= position);
    same(seen, ["id-0", "id-1", "id-2", "id-3", "id-4", "last"]);
  },
  "a failing handler is retried; after the last attempt its subscription ends before the event": async ({
    open,
  }) => {
    const store = await open();
    await append(store, 0, 5);
    let attempts = 0;
    const failOnSome = ({ id }: { readonly id: string }): void => {
      if (id === "id-1" && ++attempts < 3) throw new Error("once more");
      if (id === "id-3") throw new Error("never");
    };
    const subscription = store.subscribe({ retry: { attempts: 3, delayMs: 1 } }, failOnSome);
    assert.equal((await errorOf(subscription.done)).message, "never");
    assert.equal(attempts, 3);
    const rest: string[] = [];
    await using resumed = store.subscribe({ after: subscription.position }, ({ id }) => void rest.push(id));
    await waitFor(() => rest.length === 2);
    same(rest, ["id-3", "id-4"]);
    assert.ok(resumed.position > subscription.position);
  },
  "stop waits for the running handler, and no more events are passed": async ({ open }) => {
    const store = await open();
    await append(store, 0, 5);
    const seen: string[] = [];
    const begun = Promise.withResolvers<void>();
    const subscription = store.subscribe({}, async ({ id }, signal) => {
      begun.resolve();
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      seen.push(id);
    });
    await begun.promise;
    await subscription.stop();
    await subscription.done;
    same(seen, ["id-0"]);
    await using _next = store.subscribe({ after: subscription.position }, ({ id }) => void seen.push(id));
    await waitFor(() => seen.length === 5);
    same(seen, ["id-0", "id-1", "id-2", "id-3", "id-4"]);
  },
  "events in memory and retries have no data of a person who was forgotten meanwhile": async ({ open }) => {
    const store = await open({ events: [Registered] });
    await store.append(
      "person-1",
      [1, 2].map(() => Registered({ id: "p1", name: "Ann" })),
    );
    const seen: string[] = [];
    await using subscription = store.subscribe({ retry: { delayMs: 1 } }, async ({ data }) => {
      seen.push((data as Person).name);
      if (seen.length > 1) return;
      await store.forget("p1");
      throw new Error("another attempt");
    });
    await waitFor(() => seen.length === 3);
    same(seen, ["Ann", "(forgotten)", "(forgotten)"]);
    await subscription.stop();
  },
});
