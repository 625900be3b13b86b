import { randomUUID } from "node:crypto";
import { openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import type { AnySaga, SagaRunner } from "@framework/saga";
import type { RunnerFixture } from "@framework/saga/testing";
import { type OpenSagas, openSagas, type SagasOnDbos } from "./open-sagas.test-kit.ts";

/** A fixture whose process can end and be followed by another one. */
export interface DbosFixture extends RunnerFixture {
  /** Where the sagas are. */
  readonly place: Pick<SagasOnDbos, "url" | "server" | "schema">;
  /** What runs now. */
  readonly open: () => OpenSagas;
  run(
    definitions: readonly AnySaga[],
    options?: Pick<SagasOnDbos, "workers" | "maxOpen">,
  ): Promise<SagaRunner>;
  /** Ends the process; the tables stay. */
  stop(): Promise<void>;
}

/** The runner on DBOS, with tables in a schema of the test's own. */
export const dbosFixture = (database: TestDatabase, server: string): DbosFixture => {
  let running: OpenSagas | null = null;
  const schema = `dbos_${randomUUID().replaceAll("-", "")}`;
  const place = { url: database.url, server, schema };
  const stop = async (): Promise<void> => {
    const own = running;
    running = null;
    await own?.close();
  };
  return {
    place,
    open() {
      if (running === null) throw new Error("run sagas first");
      return running;
    },
    stop,
    async run(definitions, options = {}) {
      running = await openSagas({ ...place, definitions, ...options });
      return running.engine.runner;
    },
    async close() {
      await stop();
      const admin = openDatabase({ url: database.url, poolSize: 1, connectionTimeoutSecs: 60 });
      await admin.execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await admin.close();
      await database[Symbol.asyncDispose]();
    },
  };
};
