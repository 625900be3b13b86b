import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Database } from "@framework/database";
import type { SagaRegistry } from "../definition/registry.ts";
import type { SagaStatus } from "../transitions/transitions.ts";

/** Number of unfinished instances of one version in one status. */
export interface InstanceCount {
  readonly name: string;
  readonly version: number;
  readonly status: SagaStatus;
  readonly count: number;
}

/** Dependencies of `Survey`. */
export interface SurveyParts {
  readonly db: () => Database;
  readonly registry: SagaRegistry;
  readonly clock: Clock;
  readonly log: () => Logger;
}

const PERIOD_MS = 15_000;

/** Counts unfinished instances every 15 s, for metrics and the health check, which must not query the database. */
export class Survey {
  /** The last counts. */
  counts: readonly InstanceCount[] = [];
  private readonly parts: SurveyParts;
  private cancel = (): void => {};
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;

  constructor(parts: SurveyParts) {
    this.parts = parts;
  }

  /** Starts counting. Resolves after the first count, so that the first health check has it; never rejects. */
  async begin(): Promise<void> {
    if (this.hasEnded) return;
    const { clock, log } = this.parts;
    this.running = this.count()
      .catch((error: unknown) => log().warn("saga: instances could not be counted", { error }))
      .then(() => {
        if (!this.hasEnded) this.cancel = clock.after(PERIOD_MS, () => void this.begin());
      });
    await this.running;
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.running;
  }

  async count(): Promise<void> {
    this.counts = await this.parts.db()
      .query<InstanceCount>`SELECT name, version, status, count(*) AS count FROM framework_sagas
      WHERE finished_at IS NULL GROUP BY name, version, status`;
  }

  /** Versions with unfinished instances that this process does not define. */
  get withoutCode(): readonly string[] {
    const unknown = this.counts.filter(({ name, version }) => !this.parts.registry.has(name, version));
    return Array.from(new Set(unknown.map(({ name, version }) => `${name} version ${version}`)));
  }
}
