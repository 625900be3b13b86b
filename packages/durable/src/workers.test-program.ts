// A service with lanes, for several workers: GET /lanes returns the lanes of the process.
import { App } from "@framework/core";
import type { Feature } from "@framework/core/feature";
import { database } from "@framework/database";
import { kernelOf } from "./feature.ts";
import { durable, type DurableMethods } from "./index.ts";

const held = new Set<number>();

interface Working {
  enableWorking(): this;
}

const working: Feature<Working, DurableMethods> = {
  name: "working",
  install: (_host, needs) => ({
    enableWorking() {
      const run = async ({ lane, signal }: { lane: number; signal: AbortSignal }): Promise<void> => {
        held.add(lane);
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        held.delete(lane);
      };
      kernelOf(needs).use("working").lanes({ kind: "workers", count: 4, run });
      return this;
    },
  }),
};

const app = new (App.with(database, durable, working))()
  .enableWorking()
  .enableDurable({ leaseMs: 600_000, pollMaxMs: 200, migrateAtStart: true })
  .enableDatabase({ url: process.env["DATABASE"] ?? "", connectionTimeoutSecs: 60 });
app.get("/lanes", () => ({ pid: process.pid, lanes: [...held] }));
await app.run();
