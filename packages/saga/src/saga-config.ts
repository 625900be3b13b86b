import {
  type ConfigRecord,
  configRecord,
  type FieldRule,
  flag,
  integer,
  optional,
} from "@framework/core/feature";
import type { Database } from "@framework/database";
import { type AdminConfig, adminRule } from "@framework/durable/feature";
import type { SagaEngine } from "./port/saga-engine.ts";
import type { FailureClass } from "./run/failure-class.ts";

/** Options of `enableSaga`. */
export interface SagaConfig {
  /** Maximum number of retries of a step after transient errors; 0 to 999. @default 3 */
  readonly maxRetries: number;
  /** Limit of all forward steps in total, in milliseconds of active time: attempts and the pauses between them. @default 300000 */
  readonly timeoutMs: number;
  /** Time limit of one attempt in milliseconds, 1 to 86,400,000. Its signal aborts then, and the saga waits up to 10 s for it to end. @default 30000 */
  readonly stepTimeoutMs: number;
  /** Maximum active time for retries of undos, in milliseconds, before the saga is stuck. @default 86400000 */
  readonly undoTimeoutMs: number;
  /** Maximum number of concurrent instances of one version of a saga in one process, 1 to 1,000. @default 20 */
  readonly concurrency: number;
  /** Whether this process runs sagas; `false` for processes that only start and inspect them. @default true */
  readonly workers: boolean;
  /** Retention of completed and compensated instances, with their keys, in seconds. @default 2592000 */
  readonly keepSecs: number;
  /** Classifies errors of steps; for `undefined`, or if it fails, the rules of the package apply. @default the rules of the package */
  readonly classify: ((error: unknown) => FailureClass | undefined) | undefined;
  /** Engine that runs the sagas, such as `dbosRunner` of `@framework/saga-dbos`. @default the app's database */
  readonly runner: SagaEngine | undefined;
  /** HTTP API for operators. @default none */
  readonly admin: AdminConfig | undefined;
  /** Creates the tables that steps use, in the empty SQLite database of a time machine on the dev page. @default none */
  readonly prepareTimeMachine: ((db: Database) => Promise<unknown>) | undefined;
}

const DAY_MS = 86_400_000;
const limit = (initial: number, max: number): FieldRule<number> => integer(initial, { min: 1, max });

export const SagaConfig: ConfigRecord<SagaConfig> = configRecord("SagaConfig", {
  maxRetries: integer(3, { min: 0, max: 999 }),
  timeoutMs: limit(300_000, 365 * DAY_MS),
  stepTimeoutMs: limit(30_000, DAY_MS),
  undoTimeoutMs: limit(DAY_MS, 365 * DAY_MS),
  concurrency: limit(20, 1000),
  workers: flag(true),
  keepSecs: integer(2_592_000, { min: 60, max: 315_360_000 }),
  classify: optional<(error: unknown) => FailureClass | undefined>({
    problem: (value) => (typeof value === "function" ? null : "must be a function"),
  }),
  runner: optional<SagaEngine>({
    problem: (value) =>
      typeof (value as Partial<SagaEngine> | null)?.open === "function"
        ? null
        : "must be an engine, such as dbosRunner()",
  }),
  admin: adminRule,
  prepareTimeMachine: optional<(db: Database) => Promise<unknown>>({
    problem: (value) => (typeof value === "function" ? null : "must be a function"),
  }),
});
