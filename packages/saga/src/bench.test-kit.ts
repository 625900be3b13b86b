// One saga on an in-memory database, with a worker that the test drives.
import { openDatabase } from "@framework/database";
import type { TableClock } from "@framework/durable/testing";
import { type AnySaga, type SagaInfo } from "./index.ts";
import type { RunLimits } from "./run/runner-parts.ts";
import { ManualWorker, type ManualWorkerOptions, prepareDatabase } from "./testing/manual-worker.ts";

export interface Bench extends AsyncDisposable {
  readonly worker: ManualWorker;
  readonly time: TableClock;
  start(key?: string): Promise<string>;
  info(id: string): Promise<SagaInfo>;
  /** Advances the time in steps of a second, and runs due instances after each. */
  pass(ms: number): Promise<void>;
  /** Runs instances until no run is due, even if runs lose their worker. */
  loseWorkers(): Promise<void>;
  worker2(definition?: AnySaga): ManualWorker;
}

export const bench = async (
  definition: AnySaga,
  limits: Partial<RunLimits> = {},
  options: Pick<ManualWorkerOptions, "clock" | "log"> = {},
): Promise<Bench> => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const time = await prepareDatabase(db);
  const worker = new ManualWorker(db, time, [definition], { ...options, limits });
  return {
    worker,
    time,
    start: async (key = "k") => (await worker.runner.start(definition, null, { key })).id,
    async info(id) {
      const info = await worker.runner.get(id);
      if (info === null) throw new Error("no such saga");
      return info;
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 1000) {
        await worker.runAll();
        await time.advance(1000);
      }
      await worker.runAll();
    },
    async loseWorkers() {
      for (let claim = await worker.take(); claim !== null; claim = await worker.take())
        await worker.run(claim).catch(() => {});
    },
    worker2: (other = definition) => new ManualWorker(db, time, [other], { limits }),
    [Symbol.asyncDispose]: () => db.close(),
  };
};

export const because: { readonly reason: string } = { reason: "the operator said so" };

export const lost = (): Error => Object.assign(new Error("lost"), { code: "DURABLE_LOST" });
