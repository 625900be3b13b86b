import {
  type ConfigRecord,
  configRecord,
  decimal,
  flag,
  integer,
  optional,
  text,
} from "@framework/core/feature";
import { type AdminConfig, adminRule } from "./admin-config.ts";

/** Options of `enableDurable`. */
export interface DurableConfig {
  /** Duration of a lease in milliseconds, after which other processes take over the work of a process that stopped renewing it; 1,000 to 600,000. @default 15000 */
  readonly leaseMs: number;
  /** Shortest pause between two polls for work, in milliseconds; 1 to 60,000. @default 50 */
  readonly pollMinMs: number;
  /** Longest pause between two polls for work, in milliseconds; 10 to 600,000. @default 1000 */
  readonly pollMaxMs: number;
  /** Whether this process does background work; `false` for processes that only serve requests and enqueue work for others. @default true */
  readonly runWork: boolean;
  /** Whether the start creates and migrates the kernel's tables; otherwise missing tables are a start error. @default true, but false in production */
  readonly migrateAtStart: boolean | undefined;
  /** Maximum number of items of parked work; beyond it, work that gives up waits in its queue. 1 to 10,000,000. @default 100000 */
  readonly maxParked: number;
  /** How long parked work is kept after it was replayed or discarded, in seconds. @default 2592000 */
  readonly keepParkedSecs: number;
  /** Version of the program, stored with parked work. @default "unknown" */
  readonly codeVersion: string;
  /** HTTP API for operators. @default none */
  readonly admin: AdminConfig | undefined;
  /** Time limit of the migrations at start in seconds, including the wait for another process that migrates. @default 3600 */
  readonly migrationTimeoutSecs: number;
}

/** The longest lease that a process may have. A lease that ends later was taken while the database's clock was ahead. */
export const MAX_LEASE_MS = 600_000;

export const DurableConfig: ConfigRecord<DurableConfig> = configRecord("DurableConfig", {
  leaseMs: integer(15_000, { min: 1000, max: MAX_LEASE_MS }),
  pollMinMs: integer(50, { min: 1, max: 60_000 }),
  pollMaxMs: integer(1000, { min: 10, max: 600_000 }),
  runWork: flag(true),
  migrateAtStart: optional(flag(true)),
  maxParked: integer(100_000, { min: 1, max: 10_000_000 }),
  keepParkedSecs: decimal(2_592_000, { min: 0, max: 315_360_000 }),
  codeVersion: text("unknown"),
  admin: adminRule,
  migrationTimeoutSecs: decimal(3600, { min: 0.01, max: 604_800 }),
});

/** Returns the contradictions between the fields of a record. */
export const configProblems = ({ pollMinMs, pollMaxMs }: DurableConfig): readonly string[] =>
  pollMinMs > pollMaxMs ? ["DurableConfig.pollMinMs must not be above pollMaxMs"] : [];
