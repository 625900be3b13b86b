import { expect, jest, test } from "@jest/globals";
import { sqliteFile } from "../../testing/open-databases.test-kit.ts";
import { sqliteStatement } from "./statement.ts";
import { add, claim, row, workFixture } from "./work-fixture.test-kit.ts";
import { workStatements } from "./work-tables.ts";

/** Tables that may be scanned: lists of the statement, and the test's clock. */
const SMALL = ["CONSTANT", "json_each", "framework_test_clock"];

/** The steps of a plan that read a whole table. A scan of a subquery is ignored: other steps of the plan show how the subquery reads its table. */
const wholeReads = (steps: readonly string[]): readonly string[] => {
  const subqueries = steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(step)?.[1] ?? []);
  const isSmall = (name = ""): boolean => SMALL.includes(name) || subqueries.includes(name);
  return steps.filter((step) => {
    const [, name, how = ""] = /^(?:SCAN|SEARCH) (?:\d+ )?(\w+)(.*)/.exec(step) ?? [];
    return name !== undefined && !isSmall(name) && !/ (?:INDEX|PRIMARY KEY)\b/.test(how);
  });
};

/** Without turnovers, each of which runs two of the other statements on SQLite. */
const statements = workStatements.filter(({ name }) => !name.endsWith("_claim"));

test.each(statements.map((shape) => [shape.name, shape] as const))(
  "on SQLite the statement %s finds its rows by an index",
  async (_name, shape) => {
    await using fixture = await workFixture(await sqliteFile());
    const { text, values } = sqliteStatement(shape, fixture.clock.now.text);
    const plan = await fixture.db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values({}, []));
    expect(plan.length).toBeGreaterThan(0);
    expect(wholeReads(plan.map(({ detail }) => detail))).toEqual([]);
  },
);

test("on SQLite the count of unfinished items uses indexes and no recursive query, for which a process would be started", async () => {
  await using fixture = await workFixture(await sqliteFile());
  const query = jest.spyOn(fixture.db, "query");
  await fixture.store.reading.count("mail", 100);
  const [[text, values] = []] = query.mock.calls;
  expect(text).not.toMatch(/recursive/i);
  const plan = await fixture.db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values);
  expect(plan.length).toBeGreaterThan(0);
  expect(wholeReads(plan.map(({ detail }) => detail))).toEqual([]);
});

test("on SQLite an unfinished item is found by its unique key through the index of unique keys", async () => {
  await using fixture = await workFixture(await sqliteFile());
  await add(fixture.store, row("a", { uniqueKey: "u" }));
  const query = jest.spyOn(fixture.db, "query");
  expect(await fixture.store.reading.get("mail", { uniqueKey: "u" })).toMatchObject({ payload: '"a"' });
  const [[text, values] = []] = query.mock.calls;
  const plan = await fixture.db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values);
  expect(plan.map(({ detail }) => detail).join("\n")).toContain(
    "framework_work_unique (queue=? AND unique_key=?",
  );
});

test("on SQLite a few finished items of a queue are found through the index of finished items", async () => {
  await using fixture = await workFixture(await sqliteFile());
  const { store, db } = fixture;
  await add(store, row("a"), row("b"), row("c"));
  const [a, b] = await claim(store, 2);
  if (a === undefined || b === undefined) throw new Error("expected two items");
  await store.settling.settle([
    { ...a, state: "failed" },
    { ...b, state: "failed" },
  ]);
  const query = jest.spyOn(db, "query");
  const filter = { queue: "mail", state: "failed", key: null, order: "newest", limit: 1 } as const;
  const [newest] = await store.reading.list(filter);
  expect(newest?.id).toBe(b.id);
  expect(await store.reading.list({ ...filter, after: b.id })).toMatchObject([{ id: a.id }]);
  const calls = query.mock.calls.slice(0, 2);
  expect(calls).toHaveLength(2);
  for (const [text, values] of calls) {
    const plan = await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, values);
    expect(plan.map(({ detail }) => detail).join("\n")).toContain(
      "framework_work_finished (queue=? AND state=?",
    );
  }
});
