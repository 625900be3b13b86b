import { createKernel, openDatabase } from "./packages.ts";

/** Claims and completes items with a queue of the kernel. */
export interface KernelWork {
  /** Adds items, and returns the milliseconds from their commit until all are done and removed from the table. */
  work(items: number, payload: unknown): Promise<number>;
  close(): Promise<void>;
}

/** Starts a queue whose handlers only call `handle`. @param concurrency also the maximum items of a claim */
export const kernelWork = async (
  url: string,
  concurrency: number,
  handle: (payload: unknown) => void,
): Promise<KernelWork> => {
  const db = openDatabase({ url });
  const log = { info() {}, warn: console.warn, error: console.error };
  const kernel = createKernel(db, { log });
  let left = 0;
  let done = (): void => {};
  const queue = kernel.queue<unknown>({
    name: "bench",
    concurrency,
    handle(item) {
      handle(item.payload);
      if (--left === 0) done();
    },
  });
  await kernel.start();
  return {
    async work(items, payload) {
      const { promise, resolve } = Promise.withResolvers<void>();
      left = items;
      done = resolve;
      let start = 0;
      await db.transaction(async (tx) => {
        await queue.enqueue(
          Array.from({ length: items }, () => ({ payload })),
          { tx },
        );
        start = performance.now(); // visible from the commit on
      });
      await promise;
      while ((await db.fetchValue("SELECT 1 FROM framework_work LIMIT 1")) !== null)
        await new Promise(setImmediate);
      return performance.now() - start;
    },
    async close() {
      await kernel.stop();
      await db.close();
    },
  };
};
