import type { Clock, HostInsight } from "@framework/core/feature";
import type { StoreBase } from "../../base/store-base.ts";
import type { Projection } from "../definition/projection.ts";
import { type ProjectionStatus, readStatus } from "../versions/status.ts";

/** Time between two looks at the state of projections, for metrics. */
const EVERY_MS = 5000;

/** Watches how far projections are behind, whichever process runs them. */
export class LagWatch {
  private readonly base: StoreBase;
  private readonly clock: Clock;
  private readonly projections: readonly Projection[];
  private latest: readonly ProjectionStatus[] = [];
  private isLooking = false;
  private cancel = (): void => {};

  constructor(base: StoreBase, clock: Clock, projections: readonly Projection[]) {
    this.base = base;
    this.clock = clock;
    this.projections = projections;
  }

  begin(): void {
    void this.look();
    this.cancel = this.clock.every(EVERY_MS, () => void this.look());
  }

  end(): void {
    this.cancel();
  }

  /** Publishes metrics and a health check, which makes the service degraded: other instances would not be better. */
  publish(insight: HostInsight): void {
    const gauge = (name: string, help: string, read: (status: ProjectionStatus) => number): HostInsight =>
      insight.metric({ name, help, type: "gauge", across: "max", read: () => this.samples(read) });
    const lagHelp = "Age of the oldest event that a projection has not read.";
    gauge("events_projection_lag_seconds", lagHelp, ({ lagSecs }) => lagSecs);
    gauge("events_projection_parked", "Events that a projection has parked.", ({ parked }) => parked);
    insight.healthCheck({ name: "projections", critical: false, run: () => this.check() });
  }

  /** @throws an error that names what is wrong */
  private async check(): Promise<void> {
    const problems = (await readStatus(this.base)).flatMap((status) => this.problemOf(status) ?? []);
    if (problems.length > 0) throw new Error(problems.join("; "));
  }

  /**
   * Only versions that are live: a build is behind by nature. Also a version that this process does not have, when it has another one of the name: readers
   * get that view, and if every process has left it out, nothing maintains it.
   */
  private problemOf({ name, version, status, errors, lagSecs }: ProjectionStatus): string | null {
    const named = this.projections.filter((each) => each.name === name);
    const own = named.find((each) => each.version === version);
    if (named.length === 0 || status !== "live") return null;
    if (errors.length > 0) return `projection ${name} ${version} has stopped`;
    const maxLagSecs = own?.maxLagSecs ?? Math.max(...named.map((each) => each.maxLagSecs));
    if (lagSecs <= maxLagSecs) return null;
    const behind = `projection ${name} ${version} is ${Math.round(lagSecs)} s behind, more than ${maxLagSecs} s`;
    return own === undefined ? `${behind}; this process does not have that version` : behind;
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

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      this.latest = await readStatus(this.base);
    } catch {
      // a database that is away is reported by its own check; the last values stay
    }
    this.isLooking = false;
  }
}
