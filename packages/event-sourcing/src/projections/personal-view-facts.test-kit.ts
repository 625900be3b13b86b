import assert from "node:assert/strict";
import type { StandardSchema } from "@framework/core";
import type { Database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { type EventStoreFixture, same } from "../contract/store-fixture.ts";
import {
  type EventStore,
  type EventType,
  eventType,
  type Projection,
  projection,
  type ProjectionOptions,
} from "../index.ts";
import { longTimeout } from "./shelf.test-kit.ts";

interface Member {
  readonly id: string;
  readonly name: string;
}

const schema: StandardSchema<Member> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Member }) },
};

const personal = {
  subject: ({ id }: Member): string => id,
  fields: ["name"],
  placeholders: { name: "(forgotten)" },
} as const;
const Joined: EventType<"Joined", Member> = eventType("Joined", schema, { personal });
const events = [Joined];
const ann = Joined({ id: "p1", name: "Ann" });

type Options = ProjectionOptions<typeof Joined, "members">;

const members = (options: Partial<Options> & Pick<Options, "apply">): Projection =>
  projection<typeof Joined, "members">({
    name: "members",
    types: events,
    tables: { members: "version INTEGER NOT NULL, name TEXT NOT NULL" },
    retry: { attempts: 100, delayMs: 1, maxDelayMs: 100 },
    clear: (tx, _part, { tables }) => tx.execute`DELETE FROM ${tables.members}`,
    ...options,
  });

const insert = async (...[tx, given, { tables }]: Parameters<Options["apply"]>): Promise<void> => {
  for (const { version, data } of given)
    await tx.execute`INSERT INTO ${tables.members} (version, name) VALUES (${version}, ${data.name})`;
};

const namesIn = async (db: Database): Promise<readonly string[]> =>
  (await db.query<{ name: string }>("SELECT name FROM members")).map(({ name }) => name);

/** An `apply` that forgets the person while it runs. `order` records whether `apply` or `forget` ends first. */
const forgetDuringApply = (store: EventStore) => {
  const order: string[] = [];
  let forgotten: Promise<unknown> = Promise.resolve();
  const apply: Options["apply"] = async (tx, given, context) => {
    forgotten = store.forget(ann.data.id).then(() => order.push("forgotten"));
    for (let at = 0; at < 50; at++) await tx.fetchValue("SELECT 1"); // time for forget to finish, if nothing blocked it
    await insert(tx, given, context);
    order.push("applied");
  };
  return { apply, order, settled: () => forgotten };
};

/** Contract tests for views of forgotten persons. */
export const personalViewFacts: Readonly<Record<string, (fixture: EventStoreFixture) => Promise<void>>> = {
  "prefetched and retried events have no data of a person who was forgotten meanwhile": async ({
    open,
    db,
  }) => {
    let forgotten: Promise<unknown> | undefined;
    let isForgotten = false;
    const forget = async (): Promise<void> => {
      await writer.forget("p1");
      isForgotten = true;
    };
    const waiting = members({
      batchSize: 1,
      apply: async (tx, given, context) => {
        forgotten ??= forget(); // the second batch has been prefetched
        if (given.some(({ version }) => version === 2) && !isForgotten) throw new Error("not yet");
        await insert(tx, given, context);
      },
    });
    const writer = await open({ events });
    const { position } = await writer.append("person-1", [ann, ann, ann]);
    const store = await open({ events, projections: [waiting] });
    assert.equal(await store.waitFor(position, longTimeout), true);
    const later = await db.query("SELECT name FROM members WHERE version > 1 ORDER BY version");
    same(later, [{ name: "(forgotten)" }, { name: "(forgotten)" }]);
  },
  "an inline view gets no data of a person who was forgotten after the events were encrypted": async ({
    open,
    db,
  }) => {
    const writer = await open({ events });
    const forgets: Promise<boolean>[] = [];
    let isForgetting = true;
    const forgetAnn = ({ id }: Member): string => {
      if (isForgetting && id === ann.data.id) forgets.push(writer.forget(id)); // the encryption also calls `subject`
      return id;
    };
    const Watched: typeof Joined = eventType("Joined", schema, {
      personal: { ...personal, subject: forgetAnn },
    });
    const Slow = eventType("Slow", {
      "~standard": { ...schema["~standard"], validate: (value) => ({ value }) },
    });
    const slow = projection({
      name: "slow",
      types: [Slow],
      inline: true,
      apply: () => Promise.all(forgets), // the events of the other stream have been encrypted
    });
    const inline = members({ types: [Watched], inline: true, apply: insert });
    const store = await open({ events: [Watched, Slow], projections: [slow, inline] });
    await store.appendMany([
      { stream: "person-1", events: [ann, Joined({ id: "p2", name: "Bob" })] },
      { stream: "before-1", events: { type: "Slow", data: {} } },
    ]);
    isForgetting = false;
    assert.ok((await Promise.all(forgets)).includes(true));
    same(await namesIn(db), ["(forgotten)", "Bob"]);
    await store.append("person-1", ann);
    same(await namesIn(db), ["(forgotten)", "Bob", "Ann"]);
  },
  "forget waits for an inline view that stores data of the person": async ({ open, db }) => {
    const writer = await open({ events });
    const { apply, order, settled } = forgetDuringApply(writer);
    const store = await open({ events, projections: [members({ inline: true, apply })] });
    await store.append("person-1", ann);
    await settled();
    same([order, await namesIn(db)], [["applied", "forgotten"], ["Ann"]]);
  },
  "forget waits for a transaction that stores data of the person in a view": async ({ open, db }) => {
    const writer = await open({ events });
    const { apply, order, settled } = forgetDuringApply(writer);
    const store = await open({ events, projections: [members({ apply })] });
    const { position } = await writer.append("person-1", ann);
    assert.equal(await store.waitFor(position, longTimeout), true);
    await settled();
    same([order, await namesIn(db)], [["applied", "forgotten"], ["Ann"]]);
  },
  "forget waits for the replay of a parked event of the person": async ({ open, db }) => {
    const writer = await open({ events });
    const { apply, order, settled } = forgetDuringApply(writer);
    let isFixed = false;
    const failing = members({
      retry: { attempts: 1 },
      apply: async (tx, given, context) => {
        if (!isFixed) throw new Error("broken code");
        await apply(tx, given, context);
      },
    });
    const store = await open({ events, projections: [failing] });
    const { position } = await writer.append("person-1", ann);
    assert.equal(await store.waitFor(position, longTimeout), true);
    isFixed = true;
    await store.parked.replay({ source: "projection" });
    await waitFor(async () => (await store.parked.count()) === 0);
    await settled();
    same([order, await namesIn(db)], [["applied", "forgotten"], ["Ann"]]);
  },
  "forget waits for rebuildPart": async ({ open, db }) => {
    const writer = await open({ events });
    const { apply, order, settled } = forgetDuringApply(writer);
    const rebuilt = members({
      apply: (tx, given, context) => (context.isRebuild ? apply : insert)(tx, given, context),
    });
    const store = await open({ events, projections: [rebuilt] });
    const { position } = await writer.append("person-1", ann);
    assert.equal(await store.waitFor(position, longTimeout), true);
    await store.projections.rebuildPart("members", { stream: "person-1" });
    await settled();
    same([order, await namesIn(db)], [["applied", "forgotten"], ["Ann"]]);
  },
};
