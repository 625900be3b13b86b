import { randomUUID } from "node:crypto";
import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel, type OwnKernel } from "@framework/durable/feature";
import type { OpenEngine } from "@framework/saga";
import { failureClass } from "@framework/saga";
import { noInsight, SagaRegistry } from "@framework/saga/feature";
import type { RunnerFixture } from "@framework/saga/testing";
import { dbosRunner } from "../index.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** The runner on DBOS, with tables in a schema of the test's own. */
export const dbosFixture = (place: TestDatabase, server: string): RunnerFixture => {
  let db: Database | null = null;
  let kernel: OwnKernel | null = null;
  let engine: OpenEngine | null = null;
  const schema = `dbos_${randomUUID().replaceAll("-", "")}`;
  return {
    async run(definitions) {
      db = openDatabase({ url: place.url, connectionTimeoutSecs: 60 });
      kernel = createKernel(db, { config: { pollMinMs: 5, pollMaxMs: 50 }, log: quiet });
      const registry = new SagaRegistry();
      for (const definition of definitions) {
        const problems = registry.add(definition);
        if (problems.length > 0) throw new Error(problems.join("; "));
      }
      engine = dbosRunner({ url: server, schema, pollMs: 50 }).open({
        kernel,
        registry,
        limits: { maxRetries: 3, timeoutMs: 300_000, stepTimeoutMs: 30_000, undoTimeoutMs: 86_400_000 },
        concurrency: 20,
        workers: true,
        keepSecs: 3600,
        classOf: failureClass,
        sender: () => null,
        insight: noInsight,
        log: () => quiet,
      });
      await kernel.start();
      await engine.start();
      return engine.runner;
    },
    async close() {
      await engine?.stop();
      await kernel?.stop();
      if (db !== null) await db.execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await db?.close();
      await place[Symbol.asyncDispose]();
    },
  };
};
