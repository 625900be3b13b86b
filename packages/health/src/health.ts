import type { HealthGroup } from "@framework/core/feature";
import type { Outcome } from "./outcome.ts";
import type { WatchedCheck } from "./watched-check.ts";

/** State of readiness. */
export type Readiness = "ok" | "starting" | "draining" | "unavailable";

/** One check and its outcome. */
export interface Looked {
  readonly watched: WatchedCheck;
  readonly outcome: Outcome;
}

/** The results of all three probes, and the outcome of each check. */
export interface Findings {
  readonly live: boolean;
  readonly started: boolean;
  readonly readiness: Readiness;
  readonly checks: readonly Looked[];
}

/** Evaluates the three probes (alive, started, ready), each from the checks of its own group. */
export class Health {
  private readonly checks: readonly WatchedCheck[];
  private started = false;
  private draining = false;

  constructor(checks: readonly WatchedCheck[]) {
    this.checks = checks;
  }

  /** Makes readiness fail from now on; the service still answers all requests. */
  drain(): void {
    this.draining = true;
  }

  /** Whether the process works; dependencies of the service do not count. */
  async live(): Promise<boolean> {
    return passes(await this.look("live"));
  }

  /** Whether start has completed; it stays true. */
  async hasStarted(): Promise<boolean> {
    if (!this.started && passes(await this.look("startup"))) this.started = true;
    return this.started;
  }

  /** Whether the app is ready for traffic. During a drain no check runs. */
  async readiness(): Promise<Readiness> {
    if (this.draining) return "draining";
    const [started, ready] = await Promise.all([this.hasStarted(), this.look("ready")]);
    return this.judge(started, ready);
  }

  /** Runs every check. */
  async findings(): Promise<Findings> {
    const [started, checks] = await Promise.all([this.hasStarted(), this.look(null)]);
    const of = (group: HealthGroup): Looked[] => checks.filter(({ watched }) => isIn(watched, group));
    return { live: passes(of("live")), started, readiness: this.judge(started, of("ready")), checks };
  }

  /** The last outcomes, without running a check. */
  snapshot(): object {
    const checks = this.checks.map(({ check: { name, groups, critical }, last }) => ({
      name,
      groups: groups ?? ["ready"],
      critical: critical !== false,
      ok: last?.ok ?? null,
      message: last?.message ?? null,
    }));
    return { started: this.started, draining: this.draining, checks };
  }

  private judge(started: boolean, ready: readonly Looked[]): Readiness {
    if (this.draining) return "draining"; // a drain may have begun meanwhile
    if (!started) return "starting";
    return passes(ready) ? "ok" : "unavailable";
  }

  private look(group: HealthGroup | null): Promise<Looked[]> {
    const asked = group === null ? this.checks : this.checks.filter((watched) => isIn(watched, group));
    return Promise.all(asked.map(async (watched) => ({ watched, outcome: await watched.look() })));
  }
}

const isIn = ({ check }: WatchedCheck, group: HealthGroup): boolean =>
  (check.groups ?? ["ready"]).includes(group);

const passes = (looked: readonly Looked[]): boolean =>
  looked.every(({ watched, outcome }) => outcome.ok || watched.check.critical === false);
