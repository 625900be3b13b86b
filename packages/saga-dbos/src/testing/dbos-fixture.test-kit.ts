import { databaseInSchema, type TestDatabase } from "@framework/database/testing";
import type { AnySaga, SagaRunner } from "@framework/saga";
import type { RunnerFixture } from "@framework/saga/testing";
import { type SharedSchema, sharedSchema } from "@framework/services";
import { type OpenSagas, openSagas, type SagasOnDbos } from "./open-sagas.test-kit.ts";

/** A fixture whose process can end and be replaced by another one. */
export interface DbosFixture extends RunnerFixture {
  /** Databases of the sagas. */
  readonly storage: Pick<SagasOnDbos, "url" | "server" | "schema">;
  /** The running app, if any. */
  readonly open: () => OpenSagas;
  run(
    definitions: readonly AnySaga[],
    options?: Pick<SagasOnDbos, "workers" | "maxOpen" | "trace" | "scopes">,
  ): Promise<SagaRunner>;
  /** Ends the process; the tables stay. */
  stop(): Promise<void>;
}

/** Creates fixtures, one after the other. */
export type DbosFixtures = (() => Promise<DbosFixture>) & AsyncDisposable;

/** Creates fixtures that share one schema for DBOS's tables, emptied after each: running the hundred migrations of DBOS for every test would take too long. */
export const dbosFixtures = (server: string): DbosFixtures => {
  const tables = sharedSchema(server);
  const make = async (): Promise<DbosFixture> => dbosFixture(await databaseInSchema(server), server, tables);
  return Object.assign(make, { [Symbol.asyncDispose]: () => tables[Symbol.asyncDispose]() });
};

/** Creates the runner on DBOS, with the app's tables in a separate schema for the test. */
const dbosFixture = (database: TestDatabase, server: string, tables: SharedSchema): DbosFixture => {
  let running: OpenSagas | null = null;
  const storage = { url: database.url, server, schema: tables.name };
  const stop = async (): Promise<void> => {
    const own = running;
    running = null;
    await own?.close();
  };
  return {
    storage,
    open() {
      if (running === null) throw new Error("run sagas first");
      return running;
    },
    stop,
    async run(definitions, options = {}) {
      await stop();
      running = await openSagas({ ...storage, definitions, ...options });
      return running.engine.runner;
    },
    async close() {
      await stop();
      await tables.clear();
      await database[Symbol.asyncDispose]();
    },
  };
};
