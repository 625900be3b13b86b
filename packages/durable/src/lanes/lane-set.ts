import type { KernelBase } from "../base/kernel-base.ts";
import type { Leases } from "../leases/leases.ts";
import type { PollOutcome } from "../wake-up/poll-loop.ts";
import { claimLanes } from "./claim-lanes.ts";
import { fairShare } from "./fair-share.ts";
import type { LanesOptions } from "./lane.ts";
import { LaneRun } from "./lane-run.ts";
import { pause } from "../time/pause.ts";
import type { KindSurvey } from "./survey.ts";

/** Dependencies of `LaneSet`. */
export interface LaneSetNeeds {
  readonly base: KernelBase;
  readonly leases: Leases;
  /** Called when a lane may be claimed, by this or another process. */
  readonly onFreed: () => void;
}

/** The lanes of one kind in this process: claims its share, releases lanes above it, and runs the lanes that it owns. */
export class LaneSet {
  readonly options: LanesOptions;
  private readonly needs: LaneSetNeeds;
  /** By number. A lane stays here until its run has returned, even if another process owns it by then. */
  private readonly runs = new Map<number, LaneRun>();
  private isStopping = false;
  private hasWarned = false;

  constructor(options: LanesOptions, needs: LaneSetNeeds) {
    this.options = options;
    this.needs = needs;
  }

  held(): readonly number[] {
    const held = [...this.runs.values()].filter(({ isHeld }) => isHeld);
    return held.map(({ lane }) => lane).toSorted((a, b) => a - b);
  }

  /** Number of runs of lanes that this process no longer owns. */
  get overdue(): number {
    return this.runs.size - this.held().length;
  }

  /** Claims or releases lanes, according to a survey. */
  async balance(seen: KindSurvey): Promise<PollOutcome> {
    const { count } = this.options;
    if (this.isStopping) return "none";
    if (seen.lanes !== null && seen.lanes !== count) return await this.waitForOthers(seen);
    const share = fairShare(seen.members, this.needs.base.id, count);
    const held = this.held();
    if (held.length > share) {
      this.giveBack(held.slice(share));
      return "some";
    }
    if (held.length === share || (seen.own <= held.length && seen.rows === count)) return "none";
    return (await this.claim()) > 0 ? "some" : "none";
  }

  /** Ends every run. Each lease is released when its run has ended, when `deadline` aborts, or after the duration of a lease. */
  async stop(deadline?: AbortSignal): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.runs.values()].map((run) => this.end(run, "the lanes stop", deadline)));
  }

  private async waitForOthers(seen: KindSurvey): Promise<PollOutcome> {
    const { kind, count } = this.options;
    if (seen.members.length === 0 && (await this.claim()) > 0) return "some";
    if (!this.hasWarned) {
      this.hasWarned = true;
      const others = `other processes run it with ${seen.lanes} lanes`;
      this.needs.base.log.warn(`durable: "${kind}" with ${count} lanes waits, because ${others}`);
    }
    return "none";
  }

  /** Returns the number of lanes claimed. */
  private async claim(): Promise<number> {
    const { base, leases } = this.needs;
    const { kind, count } = this.options;
    const claimed = await claimLanes(base, {
      kind,
      count,
      held: this.held().length,
      except: [...this.runs.keys()],
    });
    for (const { name, lane, fence } of claimed ?? []) {
      const hold = leases.hold(kind, name, fence);
      const run = new LaneRun(base, this.options, lane, hold);
      this.runs.set(lane, run);
      if (this.isStopping) void this.end(run, "the lanes stop");
      void run.done.then(() => this.onEnded(run));
    }
    return claimed?.length ?? 0;
  }

  private onEnded(run: LaneRun): void {
    this.runs.delete(run.lane);
    this.needs.onFreed(); // this process may claim it again
  }

  private giveBack(lanes: readonly number[]): void {
    for (const lane of lanes) {
      const run = this.runs.get(lane);
      if (run !== undefined) void this.end(run, "another process has fewer lanes");
    }
  }

  /** Aborts a run and releases its lease once it has returned, at the latest after `leaseMs`, so that it does not overlap with the run of the next owner. */
  private async end(run: LaneRun, reason: string, deadline?: AbortSignal): Promise<void> {
    const { base, onFreed } = this.needs;
    const ended = new AbortController();
    run.hold.abort(new Error(`the lane is given up: ${reason}`));
    const limit = pause(
      base.clock,
      base.config.leaseMs,
      AbortSignal.any([ended.signal, ...(deadline ? [deadline] : [])]),
    );
    const returned = await Promise.race([run.done.then(() => true), limit.then(() => false)]);
    ended.abort();
    if (!returned) {
      const message = `durable: lane ${run.lane} of "${this.options.kind}" did not end when its signal aborted; it is released to other processes`;
      base.log.warn(message);
    }
    await run.hold.release();
    onFreed();
  }
}
