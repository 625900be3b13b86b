import type { DLogger } from "@dbos-inc/dbos-sdk";
import { dbos } from "../driver/dbos-sdk.ts";
import { FrameworkError } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import type { HeldLease } from "@framework/durable/feature";
import type { EngineParts, OpenEngine } from "@framework/saga";
import type { AnySaga } from "@framework/saga/feature";
import type { DbosRunnerConfig } from "../dbos-runner-config.ts";
import { DbosRunner } from "./runner.ts";
import { Progress } from "../script/progress.ts";
import { sagaScript } from "../script/saga-script.ts";
import { recordsOf } from "../view/records.ts";
import { begunEffects } from "../view/replay.ts";
import { DBOS_TABLES, dbosTables } from "../store/once.ts";
import { sweep } from "./sweep.ts";
import { adoptLost } from "./adopt.ts";
import { checkDefinitions } from "./check-definitions.ts";
import { type Deliver, deliveryWorkflow } from "./delivery.ts";
import { workflowOf } from "../names/ids.ts";
import { perform } from "./perform.ts";
import type { Performer, RunSaga } from "./performer.ts";
import { executorOf, takePlace } from "./places.ts";
import { Slots } from "./slots.ts";

/** Version of the script in DBOS: a process runs workflows of its own version only. Changes when old records no longer fit the script. */
const SCRIPT_VERSION = "framework-saga-1";
/** DBOS counts every restart through which a saga waits, so it never gives up; the script counts the attempts whose processes were lost. */
const MAX_RECOVERIES = 1_000_000_000;
const SWEEP_MS = 3_600_000;

/** The options, with an address. */
type EngineConfig = DbosRunnerConfig & { readonly url: string };

/** DBOS in one app. DBOS exists once in a process, so one app may have it. */
export class DbosEngine implements OpenEngine {
  readonly runner: DbosRunner;
  private readonly parts: EngineParts;
  private readonly config: EngineConfig;
  private readonly workflows = new Map<string, RunSaga>();
  private readonly timers: (() => void)[] = [];
  private stopping = new AbortController();
  private place: HeldLease | null = null;
  private deliver: Deliver | null = null;
  private isRunning = false;

  constructor(parts: EngineParts, config: EngineConfig) {
    this.parts = parts;
    this.config = config;
    parts.kernel.tables(DBOS_TABLES, dbosTables);
    this.runner = new DbosRunner({
      registry: parts.registry,
      limits: parts.limits,
      workflow: ({ name, version }) => this.workflows.get(workflowOf({ name, version })) ?? null,
      deliver: (id, letter) => this.delivery(id, letter),
      check: () => this.check(),
    });
  }

  async start(): Promise<void> {
    const { parts, config } = this;
    if (dbos().isInitialized())
      throw new FrameworkError(
        "SAGA_DBOS_TAKEN",
        "saga-dbos: DBOS is in use in this process already; run one app with it",
      );
    this.stopping = new AbortController();
    this.place = await takePlace(parts.kernel);
    try {
      await this.launch(config.url, this.place);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    this.stopping.abort(new Error("the process ends"));
    for (const stop of this.timers.splice(0)) stop();
    await dbos().shutdown({ deregister: true });
    await this.place?.release();
    this.place = null;
  }

  private async launch(url: string, place: HeldLease): Promise<void> {
    const { parts, config } = this;
    const definitions = parts.registry.all();
    this.deliver = deliveryWorkflow();
    for (const definition of definitions)
      this.workflows.set(workflowOf(definition), this.register(definition));
    dbos().setConfig({
      name: config.name,
      systemDatabaseUrl: url,
      systemDatabaseSchemaName: config.schema,
      systemDatabasePoolSize: config.poolSize,
      applicationVersion: SCRIPT_VERSION,
      executorID: executorOf(place),
      listenQueues: parts.workers ? definitions.map(workflowOf) : [],
      logger: this.log(),
      tracingEnabled: false,
    });
    await dbos().launch();
    for (const definition of definitions)
      await dbos().registerQueue(workflowOf(definition), {
        workerConcurrency: config.maxOpen,
        minPollingIntervalMs: config.pollMs,
        onConflict: "always_update",
      });
    await checkDefinitions(definitions);
    this.isRunning = true;
    place.signal.addEventListener("abort", () => this.lost());
    if (parts.workers)
      this.every(config.pollMs * 5, "adopt sagas of lost processes", () => adoptLost(parts.kernel));
    this.every(SWEEP_MS, "delete old sagas", () => sweep(parts.kernel, definitions, parts.keepSecs));
  }

  /** Registers the workflow that walks one definition. */
  private register(definition: AnySaga): RunSaga {
    const { parts } = this;
    const slots = new Slots(parts.concurrency);
    const run: RunSaga = async (start) => {
      if (start.hash !== definition.hash) return await new Promise(() => {}); // the start of this process fails by it
      const id = dbos().workflowID ?? "";
      const stopping = this.stopping.signal;
      const begun = begunEffects(definition, { id, start, createdAt: 0, records: await recordsOf(id) });
      const performer: Performer = { definition, parts, slots, begun, stopping };
      const saga = new Progress(definition, id, start, 0);
      const script = sagaScript(saga);
      for (let step = script.next(); step.done !== true;)
        step = script.next(await perform(performer, step.value));
      return saga.saga.status;
    };
    return dbos().registerWorkflow(run, {
      name: workflowOf(definition),
      maxRecoveryAttempts: MAX_RECOVERIES,
    });
  }

  /** Another process may take the place from now on: this one must not go on beside it. */
  private lost(): void {
    if (!this.isRunning) return;
    this.parts.log().error("saga-dbos: the place of this process is lost; it runs no sagas any more");
    void this.stop().catch((error: unknown) =>
      this.parts.log().error("saga-dbos: DBOS did not stop", { error }),
    );
  }

  private every(ms: number, what: string, task: () => Promise<void>): void {
    let running = false;
    const stop = systemClock.every(ms, () => {
      if (running) return;
      running = true;
      task()
        .catch((error: unknown) => {
          if (this.isRunning) this.parts.log().warn(`saga-dbos: could not ${what}`, { error });
        })
        .finally(() => (running = false));
    });
    this.timers.push(stop);
  }

  private delivery(...[id, letter]: Parameters<Deliver>): ReturnType<Deliver> {
    if (this.deliver === null) throw notStarted();
    return this.deliver(id, letter);
  }

  private check(): void {
    if (!this.isRunning) throw notStarted();
  }

  /** DBOS tells its own life at length; the app's log gets what somebody should know. */
  private log(): DLogger {
    const log = this.parts.log;
    return {
      info() {},
      debug() {},
      warn: (entry) => this.stopping.signal.aborted || log().warn(`dbos: ${String(entry)}`),
      error: (entry) => this.stopping.signal.aborted || log().error(`dbos: ${String(entry)}`),
    };
  }
}

const notStarted = (): FrameworkError =>
  new FrameworkError("SAGA_DBOS_NOT_STARTED", "saga-dbos: sagas run between the app's start and its end");
