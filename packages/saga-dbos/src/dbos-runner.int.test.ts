import { databaseInSchema } from "@framework/database/testing";
import { saga, type SagaRunner, type SagaStatus } from "@framework/saga";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type DbosFixture, dbosFixture } from "./testing/dbos-fixture.test-kit.ts";

const inStatus = async (runner: SagaRunner, id: string, status: SagaStatus): Promise<void> =>
  void (await waitFor(async () => (await runner.get(id))?.status === status, {
    what: `the saga to be ${status}`,
    timeoutMs: 60_000,
  }));

withServer("postgres", (server) => {
  const fact = (name: string, run: (fixture: DbosFixture) => Promise<void>): void =>
    test(
      name,
      async () => {
        const fixture = dbosFixture(await databaseInSchema(server), server);
        try {
          await run(fixture);
        } finally {
          await fixture.close();
        }
      },
      180_000,
    );

  fact(
    "a saga that waited in a process that has ended goes on in the next one, without another call",
    async (fixture) => {
      const calls: string[] = [];
      const definition = saga("waits", 1)
        .call("before", ({ idempotencyKey }) => void calls.push(idempotencyKey))
        .waitFor("news", { timeout: "1h" })
        .call("after", ({ idempotencyKey }) => void calls.push(idempotencyKey))
        .build();
      const first = await fixture.run([definition]);
      const { id } = await first.start(definition, null, { key: "k" });
      await inStatus(first, id, "waiting");
      await fixture.stop();
      const second = await fixture.run([definition]);
      expect(await second.deliver(definition, { key: "k", id: "m", name: "news" })).toBe("resumed");
      await inStatus(second, id, "completed");
      expect(calls).toEqual([`${id}:before`, `${id}:after`]);
    },
  );

  fact(
    "an attempt that the end of its process interrupts is repeated with the same key and number",
    async (fixture) => {
      const calls: string[] = [];
      const { promise: began, resolve: begin } = Promise.withResolvers<void>();
      const definition = saga("interrupted", 1)
        .call("slow", ({ idempotencyKey, attempt, signal }) => {
          calls.push(`${idempotencyKey} ${attempt}`);
          begin();
          if (calls.length > 1) return "done";
          return new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(new Error("aborted"))),
          );
        })
        .build();
      const first = await fixture.run([definition]);
      const { id } = await first.start(definition, null, { key: "k" });
      await began;
      await fixture.stop();
      const second = await fixture.run([definition]);
      await inStatus(second, id, "completed");
      expect(calls).toEqual([`${id}:slow 1`, `${id}:slow 1`]);
    },
  );

  fact(
    "a tx step and its undo are committed with the record by which a repetition is recognised",
    async (fixture) => {
      const definition = saga("places", 1)
        .tx(
          "take",
          async ({ key }, tx) => void (await tx.execute`INSERT INTO places (name) VALUES (${key})`),
          {
            undo: async ({ key }, _, tx) => void (await tx.execute`DELETE FROM places WHERE name = ${key}`),
          },
        )
        .waitFor("news", { timeout: "1h" })
        .build();
      const runner = await fixture.run([definition]);
      const db = fixture.db();
      await db.execute("CREATE TABLE places (name TEXT NOT NULL)");
      const { id } = await runner.start(definition, null, { key: "k" });
      await inStatus(runner, id, "waiting");
      expect(await db.query`SELECT name FROM places`).toEqual([{ name: "k" }]);
      await runner.cancel(id, { reason: "the test" });
      await inStatus(runner, id, "compensated");
      expect(await db.query`SELECT name FROM places`).toEqual([]);
      expect(await db.query`SELECT key FROM framework_saga_once ORDER BY key`).toEqual([
        { key: `${id}:take` },
        { key: `${id}:take:undo` },
      ]);
    },
  );

  fact("start and deliver refuse a transaction of the app", async (fixture) => {
    const definition = saga("s", 1)
      .call("a", () => 1)
      .build();
    const runner = await fixture.run([definition]);
    await fixture.db().transaction(async (tx) => {
      const code = "SAGA_DBOS_NO_TRANSACTION";
      await expect(runner.start(definition, null, { key: "k", tx })).rejects.toMatchObject({ code });
      const message = { key: "k", id: "1", name: "x" };
      await expect(runner.deliver(definition, message, { tx })).rejects.toMatchObject({ code });
    });
  });

  fact(
    "a list of steps that was changed without a new version does not start while its instances run",
    async (fixture) => {
      const waits = saga("changed", 1).waitFor("news", { timeout: "1h" }).build();
      const runner = await fixture.run([waits]);
      const { id } = await runner.start(waits, null, { key: "k" });
      await inStatus(runner, id, "waiting");
      await fixture.stop();
      const other = saga("changed", 1).waitFor("other", { timeout: "1h" }).build();
      await expect(fixture.run([other])).rejects.toMatchObject({ code: "SAGA_CHANGED" });
    },
  );
});
