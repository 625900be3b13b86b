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

/** A fixture whose process can end and be followed by another one. */
export interface DbosFixture extends RunnerFixture {
  /** The app's database. */
  readonly db: () => Database;
  /** Ends the process; the tables stay. */
  stop(): Promise<void>;
}

/** The runner on DBOS, with tables in a schema of the test's own. */
export const dbosFixture = (place: TestDatabase, server: string): DbosFixture => {
  let db: Database | null = null;
  let kernel: OwnKernel | null = null;
  let engine: OpenEngine | null = null;
  const schema = `dbos_${randomUUID().replaceAll("-", "")}`;
  const stop = async (): Promise<void> => {
    const [ownEngine, ownKernel, ownDb] = [engine, kernel, db];
    engine = kernel = db = null;
    await ownEngine?.stop();
    await ownKernel?.stop();
    await ownDb?.close();
  };
  return {
    db() {
      if (db === null) throw new Error("run sagas first");
      return db;
    },
    stop,
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
      await stop();
      const admin = openDatabase({ url: place.url, poolSize: 1, connectionTimeoutSecs: 60 });
      await admin.execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await admin.close();
      await place[Symbol.asyncDispose]();
    },
  };
};
