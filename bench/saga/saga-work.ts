import { createKernel, openDatabase, saga, SagaSet } from "./packages.ts";

/** Sagas of three calls that do nothing. */
export interface SagaWork {
  /** Starts sagas, and returns the milliseconds from the start of the workers until every one is completed. */
  work(sagas: number): Promise<number>;
  close(): Promise<void>;
}

const log = { info() {}, warn: console.warn, error: console.error };

/** Runs sagas in this process, `concurrency` at a time. */
export const sagaWork = async (url: string, concurrency: number): Promise<SagaWork> => {
  const db = openDatabase({ url });
  let left = 0;
  let done = (): void => {};
  const definition = saga("bench", 1)
    .call("one", ({ key }) => ({ key, place: 7 }))
    .call("two", ({ outputs }) => outputs.one.place)
    .call("three", () => {
      if (--left === 0) done();
    })
    .build();
  const kernel = createKernel(db, { log });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new SagaSet({ kernel, problem, log: () => log, config: { concurrency } });
  set.define(definition);
  await kernel.start();
  let key = 0;
  return {
    async work(sagas) {
      const { promise, resolve } = Promise.withResolvers<void>();
      left = sagas;
      done = resolve;
      let from = 0;
      await db.transaction(async (tx) => {
        for (let at = 0; at < sagas; at++)
          await set.runner.start(definition, { order: key }, { key: String(key++), tx });
        from = performance.now(); // they are seen with the commit
      });
      await promise;
      const open = "SELECT 1 FROM framework_sagas WHERE finished_at IS NULL LIMIT 1";
      while ((await db.fetchValue(open)) !== null) await new Promise(setImmediate);
      return performance.now() - from;
    },
    async close() {
      await kernel.stop();
      await db.close();
    },
  };
};
