import type { DLogger } from "@dbos-inc/dbos-sdk";
import { FrameworkError } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import type { HeldLease } from "@framework/durable/feature";
import type { EngineParts } from "@framework/saga";
import type { AnySaga } from "@framework/saga/feature";
import type { DbosRunnerConfig } from "../dbos-runner-config.ts";
import { dbos, shutDown } from "../driver/dbos-sdk.ts";
import { workflowOf } from "../names/ids.ts";
import { adoptLost } from "./adopt.ts";
import { checkDefinitions } from "./check-definitions.ts";
import { type Deliver, deliveryWorkflow } from "./delivery.ts";
import type { RunSaga } from "./performer.ts";
import { executorOf, launchAlone, claimExecutorId } from "./executors.ts";
import { registerSaga } from "./register-saga.ts";
import { sweep } from "./sweep.ts";

/** Application version in DBOS: a process only runs workflows of its own version. Change it when old records no longer match the script. */
const SCRIPT_VERSION = "framework-saga-2";
const SWEEP_MS = 3_600_000;

/** The options, with a required URL. */
export type EngineConfig = DbosRunnerConfig & { readonly url: string };

/** DBOS in this process with one executor id, from its launch to its shutdown. */
export class DbosSession {
  /** Delivers messages once DBOS is launched. */
  deliver: Deliver = () => Promise.reject(new Error("saga-dbos: DBOS is not launched"));
  private readonly parts: EngineParts;
  private readonly config: EngineConfig;
  private readonly workflows = new Map<string, RunSaga>();
  private readonly timers: (() => void)[] = [];
  /** Ends the attempts of this session. */
  private readonly ending = new AbortController();
  private executorLease: HeldLease | null = null;
  private hasDbos = false;
  private closed: Promise<void> | null = null;
  private state: "new" | "running" | "closed" = "new";

  constructor(parts: EngineParts, config: EngineConfig) {
    this.parts = parts;
    this.config = config;
  }

  get isRunning(): boolean {
    return this.state === "running";
  }

  /**
   * Launches DBOS; `close` also aborts a launch.
   *
   * @param onLost called when another process may claim the executor id: this process must stop using it
   * @throws SAGA_DBOS_TAKEN, SAGA_DBOS_TOO_MANY, SAGA_CHANGED
   */
  async launch(onLost: () => void): Promise<void> {
    if (dbos().isInitialized())
      throw new FrameworkError(
        "SAGA_DBOS_TAKEN",
        "saga-dbos: DBOS is already in use in this process; only one app per process may use it",
      );
    const lease = await claimExecutorId(this.parts.kernel);
    this.executorLease = lease;
    if (this.closed !== null) await lease.release();
    this.ending.signal.throwIfAborted();
    this.hasDbos = true;
    await this.launchAt(lease);
    this.state = "running";
    this.begin();
    const handleLoss = (): void => void (this.isRunning && onLost());
    if (lease.signal.aborted) handleLoss();
    else lease.signal.addEventListener("abort", handleLoss);
  }

  /** Shuts DBOS down and releases the executor id. */
  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  /** Returns the workflow of a version; `null` if this process does not define it. */
  workflow(saga: Pick<AnySaga, "name" | "version">): RunSaga | null {
    return this.workflows.get(workflowOf(saga)) ?? null;
  }

  private async end(): Promise<void> {
    this.state = "closed";
    this.ending.abort(new Error("the process ends"));
    for (const stop of this.timers.splice(0)) stop();
    const onError = (error: unknown): void =>
      this.parts.log().error("saga-dbos: DBOS failed to shut down; retrying", { error });
    try {
      if (this.hasDbos) await shutDown(onError);
    } finally {
      await this.executorLease?.release();
    }
  }

  private async launchAt(lease: HeldLease): Promise<void> {
    const { parts, config } = this;
    const definitions = parts.registry.all();
    const stopping = this.ending.signal;
    this.deliver = deliveryWorkflow();
    for (const definition of definitions)
      this.workflows.set(workflowOf(definition), registerSaga(definition, { parts, stopping }));
    dbos().setConfig({
      name: config.name,
      systemDatabaseUrl: config.url,
      systemDatabaseSchemaName: config.schema,
      systemDatabasePoolSize: config.poolSize,
      applicationVersion: SCRIPT_VERSION,
      executorID: executorOf(lease),
      listenQueues: parts.workers ? definitions.map(workflowOf) : [],
      logger: this.log(),
      tracingEnabled: false,
    });
    await launchAlone(parts.kernel, stopping, () => dbos().launch());
    for (const definition of definitions)
      await dbos().registerQueue(workflowOf(definition), {
        workerConcurrency: config.maxOpen,
        minPollingIntervalMs: config.pollMs,
        onConflict: "always_update",
      });
    await checkDefinitions(definitions);
    stopping.throwIfAborted();
  }

  private begin(): void {
    const { kernel, keepSecs, workers } = this.parts;
    if (workers) this.every(this.config.pollMs * 5, "adopt sagas of lost processes", () => adoptLost(kernel));
    this.every(SWEEP_MS, "delete old sagas", () => sweep(kernel, keepSecs));
  }

  private every(ms: number, description: string, task: () => Promise<void>): void {
    let running = false;
    const stop = systemClock.every(ms, () => {
      if (running) return;
      running = true;
      task()
        .catch((error: unknown) => {
          if (this.isRunning) this.parts.log().warn(`saga-dbos: could not ${description}`, { error });
        })
        .finally(() => (running = false));
    });
    this.timers.push(stop);
  }

  /** Passes only warnings and errors of DBOS to the app's log. */
  private log(): DLogger {
    const { log } = this.parts;
    const { signal } = this.ending;
    return {
      info() {},
      debug() {},
      warn: (entry) => signal.aborted || log().warn(`dbos: ${String(entry)}`),
      error: (entry) => signal.aborted || log().error(`dbos: ${String(entry)}`),
    };
  }
}
