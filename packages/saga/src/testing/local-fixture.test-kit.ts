import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel, type OwnKernel } from "@framework/durable/feature";
import { SagaSet } from "../saga-set.ts";
import type { RunnerFixture } from "./runner-fixture.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** The local runner on a database of a test. */
export const localFixture = (storage: TestDatabase): RunnerFixture => {
  let db: Database | null = null;
  let kernel: OwnKernel | null = null;
  const end = async (): Promise<void> => {
    await kernel?.stop();
    await db?.close();
  };
  return {
    async run(definitions, options = {}) {
      await end();
      db = openDatabase({ url: storage.url, connectionTimeoutSecs: 60 });
      kernel = createKernel(db, { config: { pollMinMs: 5, pollMaxMs: 50 }, log: quiet });
      const problem = ({ message }: { readonly message: string }): never => {
        throw new Error(message);
      };
      const set = new SagaSet({ kernel, problem, log: () => quiet, ...options });
      for (const definition of definitions) set.define(definition);
      await kernel.start();
      await set.begin();
      return set.runner;
    },
    async close() {
      await end();
      await storage[Symbol.asyncDispose]();
    },
  };
};
