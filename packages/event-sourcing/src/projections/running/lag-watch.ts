import type { Clock, HostInsight } from "@framework/core/feature";
import type { StoreBase } from "../../base/store-base.ts";
import type { Projection } from "../definition/projection.ts";
import { type ProjectionStatus, readStatus } from "../versions/status.ts";

/** Interval at which metrics read the status of projections. */
const EVERY_MS = 5000;

/** Monitors the lag of projections, in whichever process they run. */
export class LagWatch {
  private readonly base: StoreBase;
  private readonly clock: Clock;
  private readonly projections: readonly Projection[];
  private latest: readonly ProjectionStatus[] = [];
  private isRefreshing = false;
  private cancel = (): void => {};

  constructor(base: StoreBase, clock: Clock, projections: readonly Projection[]) {
    this.base = base;
    this.clock = clock;
    this.projections = projections;
  }

  begin(): void {
    void this.refresh();
    this.cancel = this.clock.every(EVERY_MS, () => void this.refresh());
  }

  end(): void {
    this.cancel();
  }

  /** Publishes metrics and a health check. A failure means degraded, not down, because other instances would be affected as well. */
  publish(insight: HostInsight): void {
    const gauge = (name: string, help: string, read: (status: ProjectionStatus) => number): HostInsight =>
      insight.metric({ name, help, type: "gauge", across: "max", read: () => this.samples(read) });
    const lagHelp = "Age of the oldest event that a projection has not read.";
    gauge("events_projection_lag_seconds", lagHelp, ({ lagSecs }) => lagSecs);
    gauge("events_projection_parked", "Events that a projection has parked.", ({ parked }) => parked);
    insight.healthCheck({ name: "projections", critical: false, run: () => this.check() });
  }

  /** @throws an error with all problems */
  private async check(): Promise<void> {
    const problems = (await readStatus(this.base)).flatMap((status) => this.problemOf(status) ?? []);
    if (problems.length > 0) throw new Error(problems.join("; "));
  }

  /**
   * Only live versions count: a build always lags. A live version that this process lacks also counts if the process has another version of the same name: readers
   * use that view, and if all processes lack it, nothing updates it.
   */
  private problemOf({ name, version, status, errors, lagSecs }: ProjectionStatus): string | null {
    const sameName = this.projections.filter((each) => each.name === name);
    const own = sameName.find((each) => each.version === version);
    if (sameName.length === 0 || status !== "live") return null;
    if (errors.length > 0) return `projection ${name} ${version} has stopped`;
    const maxLagSecs = own?.maxLagSecs ?? Math.max(...sameName.map((each) => each.maxLagSecs));
    if (lagSecs <= maxLagSecs) return null;
    const problem = `projection ${name} ${version} lags by ${Math.round(lagSecs)} s, more than ${maxLagSecs} s`;
    return own === undefined ? `${problem}; this process does not have that version` : problem;
  }

  private samples(
    read: (status: ProjectionStatus) => number,
  ): readonly { labels: Record<string, string>; value: number }[] {
    return this.latest
      .filter(({ status }) => status === "live" || status === "building")
      .map((each) => ({
        labels: { projection: each.name, version: String(each.version) },
        value: read(each),
      }));
  }

  private async refresh(): Promise<void> {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      this.latest = await readStatus(this.base);
    } catch {
      // the health check of the database reports its outage; keep the last values
    }
    this.isRefreshing = false;
  }
}
