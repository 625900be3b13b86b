import { createKernel, EngineSet, openDatabase, saga, type SagaEngine, SagaSet } from "./packages.ts";

/** Concurrent calls of `start`. */
const STARTERS = 20;

/** Sagas of three calls that do nothing. */
export interface SagaWork {
  /** Starts sagas in one transaction, and returns the milliseconds from its commit until all are completed. */
  work(sagas: number): Promise<number>;
  /** Starts sagas with one commit each, and returns the milliseconds from the first start until the last step of all has run. */
  startAndWork(sagas: number): Promise<number>;
  close(): Promise<void>;
}

const log = { info() {}, warn: console.warn, error: console.error };

/** Runs sagas in this process, `concurrency` of them concurrently, with the engine of the database or another one. */
export const sagaWork = async (
  url: string,
  concurrency: number,
  engine: SagaEngine | null = null,
): Promise<SagaWork> => {
  const db = openDatabase({ url });
  let left = 0;
  let done = (): void => {};
  const definition = saga("bench", 1)
    .call("one", ({ key }) => ({ key, seat: 7 }))
    .call("two", ({ outputs }) => outputs.one.seat)
    .call("three", () => {
      if (--left === 0) done();
    })
    .build();
  const kernel = createKernel(db, { log });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const parts = { kernel, problem, log: () => log, config: { concurrency } };
  const set = engine === null ? new SagaSet(parts) : new EngineSet(engine, parts);
  set.define(definition);
  await kernel.start();
  await set.begin();
  const { runner } = set;
  let key = 0;
  return {
    async work(sagas) {
      const { promise, resolve } = Promise.withResolvers<void>();
      left = sagas;
      done = resolve;
      let start = 0;
      await db.transaction(async (tx) => {
        for (let at = 0; at < sagas; at++)
          await runner.start(definition, { order: key }, { key: String(key++), tx });
        start = performance.now(); // visible from the commit on
      });
      await promise;
      const unfinished = "SELECT 1 FROM framework_sagas WHERE finished_at IS NULL LIMIT 1";
      while ((await db.fetchValue(unfinished)) !== null) await new Promise(setImmediate);
      return performance.now() - start;
    },
    async startAndWork(sagas) {
      const { promise, resolve } = Promise.withResolvers<void>();
      left = sagas;
      done = resolve;
      const end = key + sagas;
      const start = performance.now();
      const starter = async (): Promise<void> => {
        for (let sagaKey = key++; sagaKey < end; sagaKey = key++)
          await runner.start(definition, { order: sagaKey }, { key: String(sagaKey) });
      };
      await Promise.all([promise, ...Array.from({ length: STARTERS }, starter)]);
      return performance.now() - start;
    },
    async close() {
      if (set instanceof EngineSet) await set.end();
      await kernel.stop();
      await db.close();
    },
  };
};
