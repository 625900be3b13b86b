import type { HealthGroup } from "@framework/core/feature";
import type { Outcome } from "./outcome.ts";
import type { WatchedCheck } from "./watched-check.ts";

/** State of readiness. */
export type Readiness = "ok" | "starting" | "draining" | "unavailable";

/** One check and its outcome. */
export interface CheckResult {
  readonly watched: WatchedCheck;
  readonly outcome: Outcome;
}

/** The results of all three probes, and the outcome of each check. */
export interface Findings {
  readonly live: boolean;
  readonly started: boolean;
  readonly readiness: Readiness;
  readonly checks: readonly CheckResult[];
}

/** Evaluates the three probes (live, startup, ready), each from the checks of its own group. */
export class Health {
  private readonly checks: readonly WatchedCheck[];
  private started = false;
  private draining = false;

  constructor(checks: readonly WatchedCheck[]) {
    this.checks = checks;
  }

  /** Makes readiness fail from now on; has no effect on other requests. */
  drain(): void {
    this.draining = true;
  }

  /** Whether all critical checks of the group `live` pass. */
  live(): Promise<boolean> {
    return this.probe("live");
  }

  /** Whether all critical checks of the group `startup` have passed in one probe; it stays true. */
  async hasStarted(): Promise<boolean> {
    if (!this.started && (await this.probe("startup"))) this.started = true;
    return this.started;
  }

  /** Returns the state of readiness. During a drain no check runs. */
  async readiness(): Promise<Readiness> {
    if (this.draining) return "draining";
    const [started, ready] = await Promise.all([this.hasStarted(), this.probe("ready")]);
    return this.judge(started, ready);
  }

  /** Returns the results of all probes, and an outcome of every check. */
  async findings(): Promise<Findings> {
    const [started, checks] = await Promise.all([this.hasStarted(), this.outcomesOf(this.checks)]);
    const passing = (group: HealthGroup): boolean =>
      checks.every(({ watched, outcome }) => outcome.ok || !isCriticalIn(watched, group));
    return { live: passing("live"), started, readiness: this.judge(started, passing("ready")), checks };
  }

  /** Returns the last outcomes without running a check. */
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

  private judge(started: boolean, ready: boolean): Readiness {
    if (this.draining) return "draining"; // a drain may have begun during the checks
    if (!started) return "starting";
    return ready ? "ok" : "unavailable";
  }

  /** Runs the checks of a group and waits for the critical ones: a slow non-critical check must not delay the reply beyond the timeout of the prober. */
  private async probe(group: HealthGroup): Promise<boolean> {
    const results = this.outcomesOf(this.checks.filter((watched) => isCriticalIn(watched, group)));
    void this.outcomesOf(
      this.checks.filter((watched) => isIn(watched, group) && !isCriticalIn(watched, group)),
    );
    return (await results).every(({ outcome }) => outcome.ok);
  }

  /** Never rejects: a check that fails has an outcome. */
  private outcomesOf(checks: readonly WatchedCheck[]): Promise<CheckResult[]> {
    return Promise.all(checks.map(async (watched) => ({ watched, outcome: await watched.getOutcome() })));
  }
}

const isIn = ({ check }: WatchedCheck, group: HealthGroup): boolean =>
  (check.groups ?? ["ready"]).includes(group);

/** Whether a failure of the check fails the probe. */
const isCriticalIn = (watched: WatchedCheck, group: HealthGroup): boolean =>
  watched.check.critical !== false && isIn(watched, group);
