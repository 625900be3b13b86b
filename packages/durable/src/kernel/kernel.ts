import { randomUUID } from "node:crypto";
import { FrameworkError, type Logger } from "@framework/core";
import {
  type Clock,
  type ConfigInput,
  failsafeLog,
  type SharedValues,
  systemClock,
} from "@framework/core/feature";
import type { Database, SetMigration, Statement } from "@framework/database";
import type { KernelBase, KernelHost } from "../base/kernel-base.ts";
import { KernelLife } from "../base/kernel-life.ts";
import { type PendingMigration, TableSets } from "../base/table-sets.ts";
import { configProblems, DurableConfig } from "../durable-config.ts";
import { type Place, thisPlace } from "../place/place.ts";
import { databaseNow } from "../time/database-now.ts";
import { type KernelMembers, kernelMembers } from "./members.ts";

/** Durable work on one database: leases, lanes, queues and parked work. Created by `createKernel`, or by the feature `durable` for an app. */
export interface Kernel extends KernelMembers {
  /** The database. */
  readonly db: Database;
  /** SQL expression of the current time: Unix milliseconds by the database's clock, an integer. */
  readonly now: Statement;
  /** `runWork` of the configuration: whether this process works on the queues and lanes that it shares with others. */
  readonly runsWork: boolean;
  /**
   * Marks the kernel as used by a feature, so that an app starts it. Call it in `enableX`; the order of `enableX` calls does not matter.
   *
   * @param name name of the feature, for messages
   */
  use(name: string): this;
  /**
   * Adds tables, which the start creates or verifies. Their names begin with `framework_`.
   *
   * @throws DURABLE_ALREADY_STARTED, DURABLE_BAD_TABLES
   */
  tables(set: string, migrations: readonly SetMigration[]): this;
  /** Creates and migrates all tables, regardless of `migrateAtStart`. */
  migrate(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Returns the migrations that have not run, without running them. */
  pending(options?: { readonly signal?: AbortSignal }): Promise<readonly PendingMigration[]>;
}

/** A kernel without an app. The caller of `createKernel` starts and stops it. */
export interface OwnKernel extends Kernel, AsyncDisposable {
  /** Prepares the tables and begins background work. @throws DURABLE_TABLES_MISSING; errors of `migrate` */
  start(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Ends background work, until `deadline` aborts; resolves at most 2 s later. @default no deadline */
  drain(deadline?: AbortSignal): Promise<void>;
  /** Drains with a deadline of 5 s, unless a drain has started, and releases all leases, within 7 s. The database stays open. */
  stop(): Promise<void>;
}

/** Options of a kernel without an app. */
export interface KernelOptions {
  /** Configuration; `migrateAtStart` is true by default. */
  readonly config?: ConfigInput<DurableConfig>;
  /** SQL expression of the current time in whole milliseconds. @default the database's clock */
  readonly now?: Statement;
  /** Timers. @default the system clock */
  readonly clock?: Clock;
  /** Returns random numbers from 0 inclusive to 1 exclusive. @default Math.random */
  readonly random?: () => number;
  /** Returns the host or container in which this process runs. @default read from `/proc` on Linux, unknown elsewhere */
  readonly place?: () => Place;
  /** Destination of log lines. @default the console */
  readonly log?: Logger;
  /** Messages between the workers of one service. @default none */
  readonly shared?: SharedValues;
  /** Insight and invocations of an app. @default none */
  readonly host?: KernelHost;
}

/** Creates a kernel on a database without an app, for tests, scripts, and features with their own database. @throws CORE_BAD_CONFIG */
export const createKernel = (db: Database, options: KernelOptions = {}): OwnKernel => {
  const { now = databaseNow(db.dialect), clock = systemClock, random = Math.random } = options;
  const log = failsafeLog(options.log ?? console);
  const config = DurableConfig.of(options.config);
  const [problem] = configProblems(config);
  if (problem !== undefined) throw new FrameworkError("CORE_BAD_CONFIG", problem);
  const { place = thisPlace, shared = null, host = null } = options;
  const { kernel, life, prepare } = buildKernel({ db, now, config, clock, random, log, place, shared, host });
  const stop = (): Promise<void> => life.stop();
  return Object.assign(kernel, {
    async start({ signal }: { readonly signal?: AbortSignal } = {}) {
      await prepare({ migrate: config.migrateAtStart ?? true, ...(signal && { signal }) });
      await life.begin();
    },
    drain: (deadline: AbortSignal = new AbortController().signal) => life.drain(deadline),
    stop,
    [Symbol.asyncDispose]: stop,
  });
};

/** Inputs of a kernel, from an app or the caller of `createKernel`. */
export type KernelSources = Omit<KernelBase, "id" | "life" | "tables">;

/** A kernel with the functions that start and stop it. */
export interface BuiltKernel {
  readonly kernel: Kernel;
  readonly life: KernelLife;
  /** Creates or verifies all tables. */
  prepare(options: { readonly migrate: boolean; readonly signal?: AbortSignal }): Promise<void>;
}

/** Builds a kernel on `sources`, whose members are read lazily. */
export const buildKernel = (
  sources: KernelSources,
  onUse: (name: string) => void = () => {},
): BuiltKernel => {
  const life = new KernelLife(
    () => sources.clock,
    () => sources.log,
  );
  const tables = new TableSets();
  const base = Object.create(sources, {
    id: { value: randomUUID() },
    life: { value: life },
    tables: { value: tables },
  }) as KernelBase;
  const prepare: BuiltKernel["prepare"] = (options) =>
    tables.prepare(base.db, { ...options, timeoutSecs: base.config.migrationTimeoutSecs });
  const own: Omit<Kernel, keyof KernelMembers> = {
    get db() {
      return sources.db;
    },
    get now() {
      return sources.now;
    },
    get runsWork() {
      return sources.config.runWork;
    },
    use(name) {
      onUse(name);
      return this as Kernel;
    },
    tables(set, migrations) {
      tables.add(set, migrations);
      return this as Kernel;
    },
    migrate: ({ signal } = {}) => prepare({ migrate: true, ...(signal && { signal }) }),
    pending: ({ signal } = {}) =>
      tables.pending(base.db, {
        timeoutSecs: base.config.migrationTimeoutSecs,
        ...(signal && { signal }),
      }),
  };
  const kernel = Object.defineProperties(
    own,
    Object.getOwnPropertyDescriptors(kernelMembers(base)),
  ) as Kernel;
  return { kernel, life, prepare };
};
