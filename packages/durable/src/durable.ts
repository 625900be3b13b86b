import type { ConfigInput, Feature } from "@framework/core/feature";
import type { DatabaseMethods } from "@framework/database";
import { AppKernel } from "./app-kernel.ts";
import type { DurableConfig } from "./durable-config.ts";
import type { PendingMigration } from "./base/table-sets.ts";
import type { ParkedWork } from "./parked/parked-work.ts";
import type { WorkStats } from "./work/work-queue.ts";
import type { Kernel } from "./kernel/kernel.ts";

/** The methods that the feature adds to an app. */
export interface DurableMethods {
  /** Configures durable work; without this call the defaults apply. @throws CORE_BAD_CONFIG at start, together with all other problems */
  enableDurable(config?: ConfigInput<DurableConfig>): this;
  /** Durable work of the app, for programs. */
  readonly durable: Durable;
}

/** Durable work of an app. */
export interface Durable {
  /** Creates and migrates the tables of parked work and of all features that use the kernel, for a deployment with `migrateAtStart: false`. */
  migrate(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Returns the migrations that `migrate` would run, without running them. */
  pending(options?: { readonly signal?: AbortSignal }): Promise<readonly PendingMigration[]>;
  /** Work that gave up: list, inspect, replay, discard. */
  readonly parked: ParkedWork;
  /** Returns the numbers of unfinished items of the queues of this process, by queue. */
  queues(): Promise<Readonly<Record<string, WorkStats>>>;
  /** The kernel, for features: `kernelOf(needs)`. */
  readonly kernel: Kernel;
}

/**
 * Durable work on the app's database for other features: leases, lanes, queues and parked work. Nothing starts until a feature uses it.
 *
 * @example
 * const app = new (App.with(database, durable))().enableDatabase().enableDurable({ leaseMs: 30_000 });
 */
export const durable: Feature<DurableMethods, DatabaseMethods> = {
  name: "durable",
  requires: { members: ["db"], example: "App.with(database, durable)" },
  install: (host, needs) => {
    const app = new AppKernel(host, needs);
    const { kernel } = app;
    const programs: Durable = {
      kernel,
      migrate: (options) => app.withTables().migrate(options),
      pending: (options) => app.withTables().pending(options),
      parked: kernel.parked,
      queues: () => statsOf(kernel),
    };
    return {
      enableDurable(config) {
        app.configure(config);
        return this;
      },
      get durable() {
        return programs;
      },
    };
  },
};

const statsOf = async (kernel: Kernel): Promise<Readonly<Record<string, WorkStats>>> => {
  const counted = await Promise.all(
    kernel.queues().map(async (queue) => [queue.name, await queue.stats()] as const),
  );
  return Object.fromEntries(counted);
};
