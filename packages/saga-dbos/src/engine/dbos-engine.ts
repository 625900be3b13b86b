import { FrameworkError, HttpError } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";
import type { EngineParts, OpenEngine } from "@framework/saga";
import { DBOS_TABLES, dbosTables } from "../store/once.ts";
import { DbosRunner } from "./runner.ts";
import { DbosSession, type EngineConfig } from "./session.ts";

/** Longest pause between two tries to run sagas again, in milliseconds. */
const MAX_PAUSE_MS = 15_000;

/** DBOS in one app. DBOS exists once in a process, so one app may have it. */
export class DbosEngine implements OpenEngine {
  readonly runner: DbosRunner;
  private readonly parts: EngineParts;
  private readonly config: EngineConfig;
  private session: DbosSession | null = null;
  /** Aborts at the end; `null` before the start and after the end. */
  private life: AbortController | null = null;

  constructor(parts: EngineParts, config: EngineConfig) {
    this.parts = parts;
    this.config = config;
    parts.kernel.tables(DBOS_TABLES, dbosTables);
    const { registry, limits, insight } = parts;
    this.runner = new DbosRunner({
      registry,
      limits,
      trace: () => insight.trace(),
      session: () => this.running(),
    });
  }

  async start(): Promise<void> {
    const life = new AbortController();
    await this.open(life);
    this.life = life;
  }

  async stop(): Promise<void> {
    const { session, life } = this;
    this.life = null;
    this.session = null;
    life?.abort();
    await session?.close();
  }

  private async open(life: AbortController): Promise<void> {
    const session = new DbosSession(this.parts, this.config);
    this.session = session; // so that `stop` ends its launch
    try {
      await session.launch(() => void this.comeBack(session, life));
    } catch (error) {
      if (this.session === session) this.session = null;
      await session.close();
      throw error;
    }
  }

  /** Leaves a place that is lost, mostly because the database was away for a whole lease, and tries to get another one until the app ends. */
  private async comeBack(lost: DbosSession, life: AbortController): Promise<void> {
    const log = this.parts.log();
    log.error("saga-dbos: the place of this process is lost; it runs no sagas until it has another one");
    await lost.close().catch((error: unknown) => log.error("saga-dbos: DBOS did not stop", { error }));
    for (let pauseMs = this.config.pollMs; !life.signal.aborted; pauseMs *= 2)
      try {
        await this.open(life);
        return log.info("saga-dbos: this process runs sagas again");
      } catch (error) {
        if (life.signal.aborted) return;
        log.warn("saga-dbos: this process cannot run sagas yet, and tries again", { error });
        await pause(systemClock, Math.min(pauseMs, MAX_PAUSE_MS), life.signal);
      }
  }

  /** @throws SAGA_DBOS_NOT_STARTED, SAGA_DBOS_AWAY */
  private running(): DbosSession {
    if (this.life === null) throw notStarted();
    if (this.session?.isRunning !== true) throw away();
    return this.session;
  }
}

const notStarted = (): FrameworkError =>
  new FrameworkError("SAGA_DBOS_NOT_STARTED", "saga-dbos: sagas run between the app's start and its end");

const away = (): HttpError =>
  new HttpError(503, "This process runs no sagas until its database is back", { code: "SAGA_DBOS_AWAY" });
