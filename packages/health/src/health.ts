import type { HealthGroup } from "@framework/core/feature";
import type { Outcome } from "./outcome.ts";
import type { WatchedCheck } from "./watched-check.ts";

/** What readiness says. */
export type Readiness = "ok" | "starting" | "draining" | "unavailable";

/** One check and how it went. */
export interface Looked {
  readonly watched: WatchedCheck;
  readonly outcome: Outcome;
}

/** The answers to all three questions, and what each check said. */
export interface Findings {
  readonly live: boolean;
  readonly started: boolean;
  readonly readiness: Readiness;
  readonly checks: readonly Looked[];
}

/** Answers whether the process is alive, has started, and may get traffic; each from the checks of its own group alone. */
export class Health {
  private readonly checks: readonly WatchedCheck[];
  private started = false;
  private draining = false;

  constructor(checks: readonly WatchedCheck[]) {
    this.checks = checks;
  }

  /** Readiness fails from now on; the service still answers everything. */
  drain(): void {
    this.draining = true;
  }

  /** Whether the process does its work; what the service depends on has no say in it. */
  async live(): Promise<boolean> {
    return passes(await this.look("live"));
  }

  /** Whether start is through; once it is, it stays so. */
  async hasStarted(): Promise<boolean> {
    if (!this.started && passes(await this.look("startup"))) this.started = true;
    return this.started;
  }

  /** Whether traffic may come. A drain is known without asking anybody. */
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

  /** What is known without running anything. */
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
    if (this.draining) return "draining"; // it may have begun meanwhile
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
