// Contract tests for commands that append events, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { App, HttpError } from "@framework/core";
import { createInvocation } from "@framework/core/feature";
import { portContract, type PortContract } from "@framework/core/testing";
import { database, type DatabaseMethods } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import {
  decider,
  type EventSourcing,
  eventSourcing,
  eventType,
  type StoredEvent,
} from "@framework/event-sourcing";
import type { ConfigInput } from "@framework/core/feature";
import type { TestDatabase } from "@framework/database/testing";
import { z } from "zod";
import { failureOf, newLog } from "../counters.test-kit.ts";
import { command, cqrs, type CqrsConfig, type CqrsMethods, decideWith } from "../index.ts";

const Borrowed = eventType("Borrowed", z.object({ member: z.string() }));
const Returned = eventType("Returned", z.object({}));
const events = [Borrowed, Returned];

const Loan = decider({
  name: "loan",
  events,
  initialState: () => ({ member: null as string | null, loans: 0 }),
  decide: (to: { readonly lend: string } | { readonly takeBack: true }, { member }) => {
    if ("takeBack" in to) return member === null ? [] : Returned({});
    if (member !== null) throw new HttpError(409, "The book is on loan");
    return Borrowed({ member: to.lend });
  },
  evolve: ({ loans }, event) =>
    event.type === "Borrowed" ? { member: event.data.member, loans: loans + 1 } : { member: null, loans },
});

const Borrow = command("Borrow", {
  input: z.object({ book: z.string(), member: z.string() }),
  output: z.object({ loans: z.number() }),
});
const Return = command("Return", { input: z.object({ book: z.string() }) });

type Library = App & DatabaseMethods & DurableMethods & EventSourcing & CqrsMethods;

const libraryOf = ({ url }: TestDatabase, config: ConfigInput<CqrsConfig> = {}): Library => {
  const app = new (App.with(database, durable, eventSourcing, cqrs))()
    .enableDatabase({ url, poolSize: 3 })
    .enableEventSourcing({ events })
    .enableCqrs(config);
  app.cqrs
    .handle(
      Borrow,
      decideWith(Loan, {
        id: ({ book }) => book,
        command: ({ member }) => ({ lend: member }),
        result: ({ state }) => ({ loans: state.loans }),
      }),
    )
    .handle(
      Return,
      decideWith(Loan, { id: ({ book }) => book, command: () => ({ takeBack: true as const }) }),
    );
  return app;
};

const runStarted = async (app: Library, test: () => Promise<void>): Promise<void> => {
  await app.start({ log: newLog() });
  try {
    await test();
  } finally {
    await app.stop();
  }
};

const allOf = async (events: AsyncIterable<StoredEvent>): Promise<readonly StoredEvent[]> => {
  const all: StoredEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

const typesOf = async (app: Library, stream: string, tenant = ""): Promise<readonly string[]> =>
  (await allOf(app.eventStore.read(stream, { tenant }))).map(({ type }) => type);

export const eventFacts: PortContract<TestDatabase> = portContract<TestDatabase>("events", {
  "the events of a decider are committed with the command": async (storage) => {
    const app = libraryOf(storage);
    await runStarted(app, async () => {
      const { value, token } = await app.cqrs.execute(Borrow, { book: "1", member: "ann" });
      assert.deepEqual(value, { loans: 1 });
      assert.equal(token, (await app.eventStore.readAll()).events.at(-1)?.position);
      const error = await failureOf(app.cqrs.execute(Borrow, { book: "1", member: "bob" }));
      assert.deepEqual([error.status, error.message], [409, "The book is on loan"]);
      assert.deepEqual(
        await app.cqrs.execute(Return, { book: "1" }).then(({ value: none }) => none),
        undefined,
      );
      assert.deepEqual(await typesOf(app, "loan-1"), ["Borrowed", "Returned"]);
    });
  },

  "a command without events returns no token": async (storage) => {
    const app = libraryOf(storage);
    await runStarted(app, async () => {
      assert.equal((await app.cqrs.execute(Return, { book: "1" })).token, null);
    });
  },

  "a command that fails after an append leaves no event": async (storage) => {
    const Fail = command("Fail", { input: z.string() });
    const app = libraryOf(storage);
    app.cqrs.handle(Fail, async (book, { events: store }) => {
      await store.append(`loan-${book}`, Borrowed({ member: "ann" }), { expected: "none" });
      assert.equal((await store.aggregate(Loan, book).load()).state.member, "ann");
      assert.equal((await allOf(store.read(`loan-${book}`))).length, 1);
      throw new HttpError(422, "Not today");
    });
    await runStarted(app, async () => {
      assert.equal((await failureOf(app.cqrs.execute(Fail, "1"))).status, 422);
      assert.deepEqual(await typesOf(app, "loan-1"), []);
    });
  },

  "the token is the position of the last event, whichever method appended it": async (storage) => {
    const Many = command("Many", { input: z.string() });
    const app = libraryOf(storage);
    app.cqrs.handle(Many, async (book, { events: store }) => {
      await store.appendMany([
        { stream: `a-${book}`, events: Borrowed({ member: "ann" }) },
        { stream: `b-${book}`, events: [Borrowed({ member: "bob" }), Returned({})] },
      ]);
      await store.aggregate(Loan, book).execute({ lend: "cid" });
      await store.append(`a-${book}`, Returned({}));
    });
    await runStarted(app, async () => {
      const { token } = await app.cqrs.execute(Many, "1");
      const all = await app.eventStore.readAll();
      assert.equal(all.events.length, 5);
      assert.equal(token, all.events.at(-1)?.position);
    });
  },

  "after a version conflict, the command is retried with the new state": async (storage) => {
    const Slow = command("Slow", {
      input: z.string(),
      output: z.object({ attempt: z.number(), member: z.string() }),
    });
    const app = libraryOf(storage, { maxRetries: 2 });
    const rival = libraryOf(storage);
    app.cqrs.handle(Slow, async (book, { events: store, attempt }) => {
      const { state, version } = await store.aggregate(Loan, book).load();
      // On SQLite no other transaction can commit in between, so the command expects a wrong version instead.
      if (attempt === 1 && app.db.dialect === "postgres")
        await rival.cqrs.execute(Borrow, { book, member: "ann" });
      const expected = attempt === 1 && app.db.dialect === "sqlite" ? version + 7 : version;
      await store.append(`loan-${book}`, Returned({}), { expected });
      return { attempt, member: state.member ?? "nobody" };
    });
    await runStarted(app, () =>
      runStarted(rival, async () => {
        const { value } = await app.cqrs.execute(Slow, "1");
        const member = app.db.dialect === "postgres" ? "ann" : "nobody";
        assert.deepEqual(value, { attempt: 2, member });
      }),
    );
  },

  "a conflict in every attempt is a 409 of the kind conflict": async (storage) => {
    const Stale = command("Stale", { input: z.string() });
    const app = libraryOf(storage, { maxRetries: 2 });
    app.cqrs.handle(Stale, async (book, { events: store }) => {
      await store.append(`loan-${book}`, Returned({}), { expected: 9 });
    });
    const seen: unknown[] = [];
    app.cqrs.onError(({ kind, attempts }) => void seen.push([kind, attempts]));
    await runStarted(app, async () => {
      const error = await failureOf(app.cqrs.execute(Stale, "1"));
      assert.deepEqual([error.status, error.code], [409, "EVENTS_CONFLICT"]);
      assert.deepEqual(seen, [["conflict", 3]]);
    });
  },

  "events record the tenant, the caller and the command that caused them": async (storage) => {
    const Write = command("Write", { input: z.string(), output: z.string() });
    const app = libraryOf(storage);
    app.cqrs.handle(Write, async (book, { id, events: store }) => {
      await store.append(`loan-${book}`, Returned({}), {
        metadata: { shop: "7", causationId: undefined },
      } as never); // as without it
      return id;
    });
    const from = createInvocation({ kind: "job", name: "night" });
    from.context.set("user", "ann");
    await runStarted(app, async () => {
      const { value } = await app.cqrs.execute(Write, "1", { from, tenant: "t" });
      assert.deepEqual(await typesOf(app, "loan-1"), []);
      const [event] = await allOf(app.eventStore.read("loan-1", { tenant: "t" }));
      assert.deepEqual(event?.metadata, { causationId: value, actor: "ann", shop: "7" });
    });
  },

  "a replayed result has the first token, and events are not appended again": async (storage) => {
    const app = libraryOf(storage);
    const call = [Borrow, { book: "1", member: "ann" }, { idempotencyKey: "k" }] as const;
    await runStarted(app, async () => {
      const first = await app.cqrs.execute(...call);
      assert.notEqual(first.token, null);
      assert.deepEqual(await app.cqrs.execute(...call), { ...first, isReplay: true });
      assert.deepEqual(await typesOf(app, "loan-1"), ["Borrowed"]);
    });
  },

  "sync: none, and enableEventSync: false, return no token": async (storage) => {
    const app = libraryOf(storage);
    await runStarted(app, async () => {
      const { token } = await app.cqrs.execute(Borrow, { book: "1", member: "ann" }, { sync: "none" });
      assert.equal(token, null);
    });
    const without = libraryOf(storage, { enableEventSync: false });
    await runStarted(without, async () => {
      const { token } = await without.cqrs.execute(Borrow, { book: "2", member: "ann" }, { sync: "token" });
      assert.equal(token, null);
      assert.deepEqual(await typesOf(without, "loan-2"), ["Borrowed"]);
    });
  },
});
