import { FrameworkError } from "@framework/core";
import type { HostInsight } from "@framework/core/feature";
import type { KernelBase } from "../base/kernel-base.ts";
import type { KernelPart } from "../base/kernel-life.ts";
import { checkName, type Leases } from "../leases/leases.ts";
import type { Owners } from "../owners/owners.ts";
import { type PollOutcome, PollLoop } from "../wake-up/poll-loop.ts";
import type { WakeUp } from "../wake-up/wake-up.ts";
import type { Lanes, LanesOptions } from "./lane.ts";
import { LaneSet } from "./lane-set.ts";
import type { Membership } from "./membership.ts";
import { survey } from "./survey.ts";

/** Channel of the signal that lanes may be claimed. */
export const LANES_CHANNEL = "lanes";

const MAX_LANES = 1024;

/** Time that `stop` allows for runs of `endsWithStop` lanes. */
const STOP_MS = 5000;

/** Maximum number of kinds of lanes in one process. */
const MAX_KINDS = 1000;

/** Dependencies of `LaneSets`. */
export interface LaneSetsNeeds {
  readonly owners: Owners;
  readonly leases: Leases;
  readonly membership: Membership;
  readonly wakeUp: WakeUp;
}

/** All lanes of a process. One loop balances every kind. */
export class LaneSets implements KernelPart {
  readonly name = "lanes";
  private readonly base: KernelBase;
  private readonly needs: LaneSetsNeeds;
  private readonly sets = new Map<string, LaneSet>();
  private readonly joinedSets = new Set<LaneSet>();
  private loop: PollLoop | null = null;

  constructor(base: KernelBase, needs: LaneSetsNeeds) {
    this.base = base;
    this.needs = needs;
  }

  /** @throws DURABLE_BAD_NAME, DURABLE_BAD_LANES */
  add(options: LanesOptions): Lanes {
    const { kind, count } = options;
    checkName(kind);
    if (!(Number.isInteger(count) && count >= 1 && count <= MAX_LANES)) {
      throw badLanes(`"${kind}" needs 1 to ${MAX_LANES} lanes, not ${count}`);
    }
    if (this.sets.has(kind))
      throw badLanes(`the lanes "${kind}" run in this process already; use a unique kind`);
    if (this.sets.size >= MAX_KINDS) throw badLanes(`a process runs at most ${MAX_KINDS} kinds of lanes`);
    const { base, needs } = this;
    const set = new LaneSet(options, { base, leases: needs.leases, onFreed: () => this.signalFreed() });
    this.sets.set(kind, set);
    if (this.loop !== null) base.life.holdProcess();
    this.loop?.wake();
    return { held: () => set.held(), stop: () => this.remove(set) };
  }

  begin(): void {
    const { clock, config, log, life } = this.base;
    if (!config.runWork) return;
    if (this.sets.size > 0) life.holdProcess();
    this.loop = new PollLoop({
      clock,
      minMs: config.pollMinMs,
      maxMs: config.pollMaxMs,
      pollOnce: () => this.pollOnce(),
      onError: (error) => log.warn("durable: the lanes could not be distributed", { error }),
    });
    this.needs.wakeUp.on(LANES_CHANNEL, () => this.loop?.wake());
    this.loop.begin();
  }

  /** Releases all lanes except lanes with `endsWithStop`, for which the loop continues. */
  async drain(deadline: AbortSignal): Promise<void> {
    const sets = [...this.sets.values()];
    const ending = sets.filter(({ options }) => options.endsWithStop !== true);
    if (ending.length === sets.length) await this.loop?.end();
    await Promise.all(ending.map((set) => this.remove(set, deadline)));
  }

  async stop(): Promise<void> {
    await this.loop?.end();
    const grace = new AbortController();
    const cancel = this.base.clock.after(STOP_MS, () => grace.abort());
    await Promise.all([...this.sets.values()].map((set) => this.remove(set, grace.signal))).finally(cancel);
  }

  report(insight: HostInsight): void {
    insight.metric({
      name: "durable_lanes_overdue",
      help: "Lanes that this process still works on although it gave them up or lost them.",
      type: "gauge",
      read: () => [...this.sets.values()].reduce((sum, { overdue }) => sum + overdue, 0),
    });
  }

  /** Balances all kinds once: joins new ones, and claims or releases lanes. */
  async pollOnce(): Promise<PollOutcome> {
    if (this.sets.size === 0) return "none";
    await this.needs.owners.join();
    for (const set of this.sets.values()) if (!this.joinedSets.has(set)) await this.join(set);
    const seen = await survey(this.base, [...this.sets.keys()]);
    let found: PollOutcome = "none";
    for (const [kind, set] of this.sets) {
      const state = seen.get(kind);
      if (state === undefined) continue; // added meanwhile
      if (!state.isMember) this.joinedSets.delete(set); // its membership has expired: join again
      if ((await set.balance(state)) !== "none" || !state.isMember) found = "some";
    }
    return found;
  }

  private async join(set: LaneSet): Promise<void> {
    const { kind, count } = set.options;
    await this.needs.membership.join(kind, count);
    if (this.sets.get(kind) === set) this.joinedSets.add(set);
    else await this.leave(set); // removed meanwhile
  }

  /** Leaves first, which raises the shares of other processes, so that they claim each lane as soon as it is released. */
  private async remove(set: LaneSet, deadline?: AbortSignal): Promise<void> {
    if (this.sets.get(set.options.kind) !== set) return;
    this.sets.delete(set.options.kind);
    if (this.joinedSets.delete(set)) await this.leave(set);
    await set.stop(deadline);
  }

  private async leave({ options }: LaneSet): Promise<void> {
    try {
      await this.needs.membership.leave(options.kind);
    } catch (error) {
      this.base.log.warn(
        `durable: leaving the lanes "${options.kind}" failed; other processes claim them after the lease`,
        {
          error,
        },
      );
    }
  }

  private signalFreed(): void {
    this.needs.wakeUp.signal(LANES_CHANNEL);
  }
}

const badLanes = (message: string): FrameworkError =>
  new FrameworkError("DURABLE_BAD_LANES", `durable: ${message}`);
