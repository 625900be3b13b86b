import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { virtualClock } from "@framework/core/testing";
import { type Database, migrate } from "@framework/database";
import { type TableClock, tableClock } from "@framework/durable/testing";
import type { AnySaga } from "../definition/definition.ts";
import { SagaRegistry } from "../definition/registry.ts";
import type { MessageSender } from "../definition/send-work.ts";
import { type Insight, noInsight } from "../insight/insight.ts";
import { LocalRunner } from "../local-runner.ts";
import { failureClass } from "../run/failure-class.ts";
import type { RunLimits, RunnerParts } from "../run/runner-parts.ts";
import { runInstance } from "../run/runner.ts";
import { noScopes, type StepScopes } from "../run/step-calls.ts";
import { SagaStore } from "../store/saga-store.ts";
import { SAGA_TABLES, sagaTables } from "../store/saga-tables.ts";
import type { RunClaim } from "../run-queue/run-queue.ts";
import { ManualRunQueue } from "./manual-run-queue.ts";

/** Options of `ManualWorker`. */
export interface ManualWorkerOptions {
  readonly limits?: Partial<RunLimits>;
  readonly insight?: Insight;
  readonly sender?: MessageSender | null;
  /** @default no dependencies */
  readonly scopes?: StepScopes | undefined;
  /** Measures runs. @default a virtual clock that never advances */
  readonly clock?: Clock;
  /** @default none */
  readonly log?: Logger;
}

/** Prepares a database for workers, and returns its clock. */
export const prepareDatabase = async (db: Database): Promise<TableClock> => {
  await migrate(db, { set: SAGA_TABLES, migrations: sagaTables });
  await ManualRunQueue.prepare(db);
  return await tableClock(db);
};

const quiet: Logger = { info() {}, warn() {}, error() {} };
const defaults: RunLimits = {
  maxRetries: 3,
  timeoutMs: 300_000,
  stepTimeoutMs: 30_000,
  undoTimeoutMs: 86_400_000,
};

/** A worker that runs sagas when the test calls it, without randomness and timers. */
export class ManualWorker {
  readonly runner: LocalRunner;
  readonly store: SagaStore;
  private readonly db: Database;
  private readonly queue: ManualRunQueue;
  private readonly registry = new SagaRegistry();
  private readonly parts: RunnerParts;

  constructor(
    db: Database,
    time: TableClock,
    definitions: readonly AnySaga[],
    {
      limits = {},
      insight = noInsight,
      sender = null,
      scopes = noScopes,
      clock = virtualClock(),
      log = quiet,
    }: ManualWorkerOptions = {},
  ) {
    const { now } = time;
    this.db = db;
    this.queue = new ManualRunQueue(now);
    this.store = new SagaStore({ db: () => db, now: () => now });
    for (const definition of definitions) this.registry.add(definition);
    const transaction: RunnerParts["transaction"] = (run) => db.transaction(run);
    this.parts = {
      store: this.store,
      transaction,
      clock,
      random: () => 0,
      limits: { ...defaults, ...limits },
      classOf: failureClass,
      sender: () => sender,
      scopes,
      insight,
      log: () => log,
    };
    this.runner = new LocalRunner({
      store: this.store,
      queue: this.queue,
      registry: this.registry,
      transaction,
    });
  }

  /** Claims a due run; `null` if none is due. */
  take(signal?: AbortSignal): Promise<RunClaim | null> {
    return this.queue.take(this.db, signal);
  }

  /** Runs a claimed instance. */
  async run(claim: RunClaim): Promise<void> {
    const saga = await this.store.load(this.db, claim.sagaId);
    if (saga !== null) await runInstance(this.parts, this.registry.get(saga.name, saga.version), claim);
  }

  /** Runs instances until no run is due. */
  async runAll(): Promise<void> {
    for (let claim = await this.take(); claim !== null; claim = await this.take()) await this.run(claim);
  }
}
