import { type Database, openDatabase } from "@framework/database";
import { expect, test } from "@jest/globals";
import { Borrowed, Extended, Loan, loanTypes } from "../loan.test-kit.ts";
import { ConflictError, decider, openEventStore } from "../index.ts";

/** Wraps a database so that `rival` runs before every append of one event. */
const withRival = (db: Database, rival: () => Promise<unknown>): Database =>
  new Proxy(db, {
    get: (target, name) => {
      if (name === "query")
        return async (...call: Parameters<Database["query"]>) => {
          if (String(call[0]).startsWith("INSERT INTO framework_events")) await rival();
          return await target.query(...call);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

test("after conflicts, a command is decided again up to `retries` times", async () => {
  await using db = Object.assign(openDatabase({ url: "sqlite://:memory:" }), {
    async [Symbol.asyncDispose]() {
      await db.close();
    },
  });
  await using other = await openEventStore({ events: loanTypes }, { db });
  let rivals = 0;
  const rival = withRival(db, async () => {
    if (rivals-- > 0) await other.append("loan-1", Extended({ days: 1 }));
  });
  await using store = await openEventStore({ events: loanTypes, enableSnapshots: false }, { db: rival });
  await other.append("loan-1", Borrowed({ member: "ann" }));

  rivals = 3;
  const { state, version } = await store.aggregate(Loan, "1").execute({ kind: "extend", days: 5 });
  expect([state.days, version]).toEqual([14 + 3 + 5, 5]);

  rivals = 4;
  const refused = store.aggregate(Loan, "1").execute({ kind: "extend", days: 5 });
  await expect(refused).rejects.toThrow(ConflictError);
  expect((await other.aggregate(Loan, "1").load()).version).toBe(9);

  rivals = 4;
  const uncounted = store.aggregate(Loan, "1").execute({ kind: "extend", days: 5 }, { retries: Number.NaN });
  await expect(uncounted).rejects.toThrow(ConflictError); // NaN, such as from an unset variable, does not retry for ever
  expect(rivals).toBe(3);

  rivals = 1;
  const once = store.aggregate(Loan, "1").execute({ kind: "extend", days: 5 }, { retries: 0 });
  await expect(once).rejects.toThrow(ConflictError);
});

test("a decider with event types that the store lacks is refused", async () => {
  await using store = await openEventStore({ storeType: "memory", events: [Borrowed] });
  expect(() => store.aggregate(Loan, "1")).toThrow(
    "decider loan has types that are not in the option `events`: Extended, Returned",
  );
});

test("evolve gets only the types of its decider, and an unknown type is an error", async () => {
  const Days = decider({
    name: "loan",
    events: [Extended],
    initialState: () => 0,
    decide: () => [],
    evolve: (days, { data }) => days + data.days,
  });
  await using db = Object.assign(openDatabase({ url: "sqlite://:memory:" }), {
    async [Symbol.asyncDispose]() {
      await db.close();
    },
  });
  await using store = await openEventStore({ events: loanTypes }, { db });
  await store.append("loan-1", [Borrowed({ member: "ann" }), Extended({ days: 2 })]);
  expect((await store.aggregate(Days, "1").load()).state).toBe(2);
  await using newer = await openEventStore({}, { db });
  await newer.append("loan-1", { type: "Lost", data: {} });
  await expect(store.aggregate(Days, "1").load()).rejects.toMatchObject({ code: "EVENTS_UNKNOWN_TYPE" });
});

test("an evolve that throws for the new events is an error that says that they are stored", async () => {
  const Failing = decider({
    name: "loan",
    events: [Borrowed],
    initialState: () => null,
    decide: (member: string) => Borrowed({ member }),
    evolve: () => {
      throw new Error("no such field");
    },
  });
  await using store = await openEventStore({ events: loanTypes, connectionUrl: "sqlite://:memory:" });
  await expect(store.aggregate(Failing, "1").execute("ann")).rejects.toMatchObject({
    code: "EVENTS_EVOLVE_FAILED",
    message: expect.stringContaining("the new events of stream loan-1; they are stored"),
    cause: new Error("no such field"),
  });
  expect((await store.read("loan-1").next()).value).toMatchObject({ version: 1, type: "Borrowed" });

  await store.db.transaction(async (tx) => {
    await expect(store.aggregate(Failing, "2").execute("ann", { tx })).rejects.toMatchObject({
      code: "EVENTS_EVOLVE_FAILED",
      message: expect.stringContaining("they will be stored if the transaction is committed"),
    });
  });
  expect((await store.read("loan-2").next()).value).toMatchObject({ version: 1, type: "Borrowed" });
  await expect(store.aggregate(Failing, "1").execute("ann")).rejects.toThrow(new Error("no such field")); // nothing was appended
});

test("a malformed decider is refused", () => {
  const parts = {
    events: [Extended],
    initialState: () => 0,
    decide: () => [],
    evolve: (state: number) => state,
  };
  for (const [wrong, message] of [
    [{ name: "a-b" }, "must not have a dash"],
    [{ name: "" }, "is empty"],
    [{ name: "a", version: 0 }, "must be an integer from 1"],
    [{ name: "a", toSnapshot: (state: number) => state }, "give both or none"],
  ] as const)
    expect(() => decider({ ...parts, ...wrong })).toThrow(message);
});

test("an aggregate without an id is refused", async () => {
  await using store = await openEventStore({ events: loanTypes, connectionUrl: "sqlite://:memory:" });
  for (const id of [undefined, "", Promise.resolve("1")])
    expect(() => store.aggregate(Loan, id as never)).toThrow(
      /the id of an aggregate (is empty|must be a string)/,
    );
});

test("an aggregate id is limited by the length of its stream name", async () => {
  await using store = await openEventStore({ events: loanTypes, connectionUrl: "sqlite://:memory:" });
  const longest = "1".repeat(255 - "loan-".length);
  await store.aggregate(Loan, longest).execute({ kind: "borrow", member: "ann" });
  expect((await store.aggregate(Loan, longest).load()).version).toBe(1);
  expect(() => store.aggregate(Loan, `${longest}1`)).toThrow("the name of the stream is longer than 255");
});
