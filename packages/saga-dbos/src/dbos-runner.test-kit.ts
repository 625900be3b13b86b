// Crashes that a saga on DBOS survives, and rejected calls.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { bundledProgram } from "@framework/bundled-sources";
import type { HeldLease } from "@framework/durable/feature";
import { saga } from "@framework/saga";
import { expect } from "@jest/globals";
import { executorOf, claimExecutorId } from "./engine/executors.ts";
import { type Fact, waitForStatus } from "./testing/fact.test-kit.ts";
import { killedSaga } from "./testing/killed.test-sagas.ts";
import { openSagas } from "./testing/open-sagas.test-kit.ts";

export const dbosFacts = (fact: Fact): void => {
  fact(
    "a saga that waited in a stopped process continues in the next one, without another call",
    async (fixture) => {
      const calls: string[] = [];
      const definition = saga("waits", 1)
        .call("before", ({ idempotencyKey }) => void calls.push(idempotencyKey))
        .waitFor("news", { timeout: "1h" })
        .call("after", ({ idempotencyKey }) => void calls.push(idempotencyKey))
        .build();
      const first = await fixture.run([definition]);
      const { id } = await first.start(definition, null, { key: "k" });
      await waitForStatus(first, id, "waiting");
      await fixture.stop();
      const second = await fixture.run([definition]);
      expect(await second.deliver(definition, { key: "k", id: "m", name: "news" })).toBe("resumed");
      await waitForStatus(second, id, "completed");
      expect(calls).toEqual([`${id}:before`, `${id}:after`]);
    },
  );

  fact(
    "an attempt interrupted by the stop of its process is repeated with the same key and number",
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
      await waitForStatus(second, id, "completed");
      expect(calls).toEqual([`${id}:slow 1`, `${id}:slow 1`]);
    },
  );

  fact("a tx step and its undo are committed with the record that prevents a second run", async (fixture) => {
    const definition = saga("places", 1)
      .tx("take", async ({ key }, tx) => void (await tx.execute`INSERT INTO places (name) VALUES (${key})`), {
        undo: async ({ key }, _, tx) => void (await tx.execute`DELETE FROM places WHERE name = ${key}`),
      })
      .waitFor("news", { timeout: "1h" })
      .build();
    const runner = await fixture.run([definition]);
    const { db } = fixture.open();
    await db.execute("CREATE TABLE places (name TEXT NOT NULL)");
    const { id } = await runner.start(definition, null, { key: "k" });
    await waitForStatus(runner, id, "waiting");
    expect(await db.query`SELECT name FROM places`).toEqual([{ name: "k" }]);
    await runner.cancel(id, { reason: "the test" });
    await waitForStatus(runner, id, "compensated");
    expect(await db.query`SELECT name FROM places`).toEqual([]);
    expect(await db.query`SELECT key FROM framework_saga_once ORDER BY key`).toEqual([
      { key: `${id}:take` },
      { key: `${id}:take:undo` },
    ]);
  });

  fact("start and deliver refuse a transaction of the app", async (fixture) => {
    const definition = saga("s", 1)
      .call("a", () => 1)
      .build();
    const runner = await fixture.run([definition]);
    await fixture.open().db.transaction(async (tx) => {
      const code = "SAGA_DBOS_NO_TRANSACTION";
      await expect(runner.start(definition, null, { key: "k", tx })).rejects.toMatchObject({ code });
      const message = { key: "k", id: "1", name: "x" };
      await expect(runner.deliver(definition, message, { tx })).rejects.toMatchObject({ code });
    });
  });

  fact(
    "an app whose steps changed without a new version does not start while instances are unfinished",
    async (fixture) => {
      const waits = saga("changed", 1).waitFor("news", { timeout: "1h" }).build();
      const runner = await fixture.run([waits]);
      const { id } = await runner.start(waits, null, { key: "k" });
      await waitForStatus(runner, id, "waiting");
      await fixture.stop();
      const other = saga("changed", 1).waitFor("other", { timeout: "1h" }).build();
      await expect(fixture.run([other])).rejects.toMatchObject({ code: "SAGA_CHANGED" });
    },
  );

  fact("a saga has the trace of the code that starts it, unless the start names another", async (fixture) => {
    const definition = saga("traced", 1)
      .call("a", () => 1)
      .build();
    const runner = await fixture.run([definition], { trace: "00-1-2-01" });
    const own = await runner.start(definition, null, { key: "own" });
    const given = await runner.start(definition, null, { key: "given", trace: "00-3-4-01" });
    expect((await runner.get(own.id))?.trace).toBe("00-1-2-01");
    expect((await runner.get(given.id))?.trace).toBe("00-3-4-01");
  });

  fact(
    "a step whose process was lost is checked, or left to an operator, as configured by `onUnknown`",
    async (fixture) => {
      const calls: string[] = [];
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      const hanging = (at: 0 | 1, name: string) => (): Promise<string> => {
        calls.push(name);
        begun[at].resolve();
        return new Promise(() => {});
      };
      const checked = saga("checked", 1)
        .call("pay", hanging(0, "checked"), { check: () => ({ output: "found" }) })
        .build();
      const manual = saga("manual", 1).call("pay", hanging(1, "manual"), { onUnknown: "manual" }).build();
      const first = await fixture.run([checked, manual]);
      const ids = [
        (await first.start(checked, null, { key: "k" })).id,
        (await first.start(manual, null, { key: "k" })).id,
      ] as const;
      await Promise.all(begun.map(({ promise }) => promise));
      await fixture.stop();
      const second = await fixture.run([checked, manual]);
      await waitForStatus(second, ids[0], "completed");
      await waitForStatus(second, ids[1], "paused");
      expect((await second.get(ids[0]))?.steps[0]?.output).toBe("found");
      expect(calls.toSorted()).toEqual(["checked", "manual"]);
    },
  );

  fact("a process without workers starts sagas, and another process runs them", async (fixture) => {
    const definition = saga("left", 1)
      .call("work", () => "done")
      .build();
    const front = await fixture.run([definition], { workers: false });
    const { id } = await front.start(definition, null, { key: "k" });
    expect((await front.get(id))?.status).toBe("ready");
    await fixture.stop();
    await waitForStatus(await fixture.run([definition]), id, "completed");
  });

  fact("at most maxOpen sagas of a version are in memory, and the others wait", async (fixture) => {
    const definition = saga("many", 1).waitFor("news", { timeout: "1h" }).build();
    const runner = await fixture.run([definition], { maxOpen: 1 });
    const first = await runner.start(definition, null, { key: "1" });
    await waitForStatus(runner, first.id, "waiting");
    const second = await runner.start(definition, null, { key: "2" });
    expect((await runner.get(second.id))?.status).toBe("ready");
    await runner.deliver(definition, { key: "1", id: "m", name: "news" });
    await waitForStatus(runner, second.id, "waiting");
    expect((await runner.get(first.id))?.status).toBe("completed");
  });

  fact(
    "a second app of the process does not start, and a runner cannot be used after its stop",
    async (fixture) => {
      const runner = await fixture.run([]);
      await expect(openSagas({ ...fixture.storage, definitions: [] })).rejects.toMatchObject({
        code: "SAGA_DBOS_TAKEN",
      });
      expect(await runner.get("x")).toBeNull();
      await fixture.stop();
      await expect(runner.get("x")).rejects.toMatchObject({ code: "SAGA_DBOS_NOT_STARTED" });
    },
  );

  fact(
    "256 processes have executor ids, one more gets none, and a released id is used again",
    async (fixture) => {
      await fixture.run([]);
      const { kernel } = fixture.open();
      const leases = await Promise.all(Array.from({ length: 255 }, () => claimExecutorId(kernel)));
      expect(new Set(leases.map(executorOf)).size).toBe(255);
      await expect(claimExecutorId(kernel)).rejects.toMatchObject({ code: "SAGA_DBOS_TOO_MANY" });
      await leases[7]?.release();
      expect(executorOf(await claimExecutorId(kernel))).toBe(executorOf(leases[7] as HeldLease));
    },
  );

  fact(
    "the saga of a killed process continues in another process, with the same idempotency key",
    async (fixture) => {
      const { url, server: address, schema } = fixture.storage;
      const own = killedSaga((key) => key);
      const env = { ...process.env, DATABASE: url, SERVER: address, SCHEMA: schema };
      const program = bundledProgram(new URL("./testing/killed.test-program.ts", import.meta.url));
      const child = spawn(process.execPath, ["--conditions=@framework/source", program], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [printed] = (await once(child.stdout, "data")) as [Buffer];
      const next = await fixture.run([own]); // the process of that saga is alive, so no other process takes it over
      const { id } = await next.start(own, null, { key: "k" });
      expect((await next.get(id))?.steps[1]?.status).not.toBe("done");
      child.kill("SIGKILL");
      await once(child, "exit");
      await waitForStatus(next, id, "completed");
      expect(`${String((await next.get(id))?.steps[1]?.output)}\n`).toBe(String(printed));
    },
  );
};
