import { FrameworkError, HttpError } from "@framework/core";
import { systemClock } from "@framework/core/feature";
import { pause } from "@framework/durable/feature";
import type { EngineParts, OpenEngine } from "@framework/saga";
import { DBOS_TABLES, dbosTables } from "../store/once.ts";
import { DbosRunner } from "./runner.ts";
import { DbosSession, type EngineConfig } from "./session.ts";

/** Maximum pause between two attempts to relaunch DBOS, in milliseconds. */
const MAX_PAUSE_MS = 15_000;

/** DBOS in one app. Only one app per process may use it, because DBOS is a singleton. */
export class DbosEngine implements OpenEngine {
  readonly runner: DbosRunner;
  private readonly parts: EngineParts;
  private readonly config: EngineConfig;
  private session: DbosSession | null = null;
  /** Aborts at the stop; `null` before the start and after the stop. */
  private lifetime: AbortController | null = null;

  constructor(parts: EngineParts, config: EngineConfig) {
    this.parts = parts;
    this.config = config;
    parts.kernel.tables(DBOS_TABLES, dbosTables);
    const { registry, limits, insight } = parts;
    this.runner = new DbosRunner({
      registry,
      limits,
      trace: () => insight.trace(),
      session: () => this.currentSession(),
    });
  }

  async start(): Promise<void> {
    const lifetime = new AbortController();
    await this.open(lifetime);
    this.lifetime = lifetime;
  }

  async stop(): Promise<void> {
    const { session, lifetime } = this;
    this.lifetime = null;
    this.session = null;
    lifetime?.abort();
    await session?.close();
  }

  private async open(lifetime: AbortController): Promise<void> {
    const session = new DbosSession(this.parts, this.config);
    this.session = session; // so that `stop` aborts the launch
    try {
      await session.launch(() => void this.relaunch(session, lifetime));
    } catch (error) {
      if (this.session === session) this.session = null;
      await session.close();
      throw error;
    }
  }

  /**
   * Closes a session whose executor id is lost, such as after the database was unavailable for a whole lease, and relaunches DBOS until it succeeds or the
   * app stops.
   */
  private async relaunch(lost: DbosSession, lifetime: AbortController): Promise<void> {
    const log = this.parts.log();
    log.error(
      "saga-dbos: this process has lost its executor id and runs no sagas until it has claimed another",
    );
    await lost.close().catch((error: unknown) => log.error("saga-dbos: DBOS did not stop", { error }));
    for (let pauseMs = this.config.pollMs; !lifetime.signal.aborted; pauseMs *= 2)
      try {
        await this.open(lifetime);
        return log.info("saga-dbos: this process runs sagas again");
      } catch (error) {
        if (lifetime.signal.aborted) return;
        log.warn("saga-dbos: DBOS could not be relaunched; retrying", { error });
        await pause(systemClock, Math.min(pauseMs, MAX_PAUSE_MS), lifetime.signal);
      }
  }

  /** @throws SAGA_DBOS_NOT_STARTED, SAGA_DBOS_UNAVAILABLE */
  private currentSession(): DbosSession {
    if (this.lifetime === null) throw notStarted();
    if (this.session?.isRunning !== true) throw unavailable();
    return this.session;
  }
}

const notStarted = (): FrameworkError =>
  new FrameworkError(
    "SAGA_DBOS_NOT_STARTED",
    "saga-dbos: sagas can be used only between the app's start and stop",
  );

const unavailable = (): HttpError =>
  new HttpError(503, "This process runs no sagas until its database is available", {
    code: "SAGA_DBOS_UNAVAILABLE",
  });
