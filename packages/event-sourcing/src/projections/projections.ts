import type { Clock } from "@framework/core/feature";
import type { Kernel, Lane } from "@framework/durable/feature";
import { Bell } from "../base/bell.ts";
import type { StoreBase } from "../base/store-base.ts";
import { mistake } from "../errors/event-error.ts";
import type { EventFilter, GlobalReader } from "../global-order/global-reader.ts";
import type { AnyEventType } from "../events/event-type.ts";
import { checkStream, checkTenant } from "../names/check-name.ts";
import { type RunnerNeeds, runShard } from "./running/shard-runner.ts";
import { setShards } from "./shards/shard-rows.ts";
import { storedTypes } from "./shards/units.ts";
import { type WaitOptions, Waits } from "./running/wait-for.ts";
import type { Projection, ViewPart } from "./definition/projection.ts";
import { buildAgain, cancelBuild, dropRetired } from "./rebuild/drop-versions.ts";
import { goLive } from "./rebuild/go-live.ts";
import { rebuildPart } from "./rebuild/rebuild-part.ts";
import { registerProjections } from "./versions/register-projections.ts";
import { type ProjectionStatus, readStatus } from "./versions/status.ts";
import { Throttle } from "./running/throttle.ts";

/** The projections of a store, for programs that look after them. */
export interface Projections {
  /** How every version in the store is doing: position, progress, lag, parked events, errors. */
  status(): Promise<readonly ProjectionStatus[]>;
  /** Makes shards that an error has stopped run again, of one version or of all. Resolves to how many. */
  resume(name: string, version?: number): Promise<number>;
  /** Ends a version that is built beside the live one, the highest by default, and drops its tables. Resolves to whether there was one. */
  cancel(name: string, version?: number): Promise<boolean>;
  /** Begins a cancelled version again, by default the highest of this process. Resolves to whether it was cancelled, and no later version is live. */
  rebuild(name: string, version?: number): Promise<boolean>;
  /**
   * Makes a part of the live view again: what one stream, or all streams of a tenant, have made. Needs `clear` of the projection, and holds back appends to
   * an inline one meanwhile. Resolves to the number of events applied.
   *
   * @throws EVENTS_PART_REFUSED, also for more than 100,000 events; EVENTS_APPEND_OPEN; errors of the projection. Nothing has changed then
   */
  rebuildPart(name: string, part: Partial<ViewPart>): Promise<number>;
  /**
   * Makes a version that was built live, by default the highest of this process, when it is as far as the live one; needed with `autoLive: false`.
   * Earlier versions are retired. Resolves to whether it is live.
   *
   * @throws EVENTS_APPEND_OPEN for an inline version, when an append has been open for 30 s
   */
  goLive(name: string, version?: number): Promise<boolean>;
}

/** Channel of the kernel's wake-up: a view moved on, or the program asked for something. */
export const PROJECTIONS_CHANNEL = "projections";

/** Part of the connections that may build at a time; requests and live views use the others. */
const BUILDING_PART = 1 / 8;
/** Pause between two looks for tables to drop. */
const DROP_EVERY_MS = 60_000;

/** What projections are built on. */
export interface ProjectionNeeds {
  readonly kernel: Kernel;
  readonly base: StoreBase;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  readonly eventsChannel: string;
  readonly projections: readonly Projection[];
  readonly types: readonly AnyEventType[];
}

/** Runs the projections of one process. */
export class ProjectionSet implements Projections {
  private readonly needs: ProjectionNeeds;
  private readonly waits: Waits;
  private readonly runner: RunnerNeeds;

  constructor(needs: ProjectionNeeds) {
    this.needs = needs;
    const { kernel, base, reader, clock, projections, eventsChannel } = needs;
    const throttle = new Throttle(() => Math.max(1, Math.floor(base.db.maxTransactions * BUILDING_PART)));
    const advanced = (): void => kernel.wakeUp.signal(PROJECTIONS_CHANNEL);
    const onProgress = (listener: () => void): (() => void) =>
      kernel.wakeUp.on(PROJECTIONS_CHANNEL, listener);
    const names = [...new Set(projections.map(({ name }) => name))];
    this.waits = new Waits({ base, clock, names, onProgress });
    this.runner = {
      base,
      reader,
      clock,
      random: Math.random,
      advanced,
      onWork: (listener) => kernel.wakeUp.on(eventsChannel, listener),
      throttled: (run) => throttle.run(run),
    };
  }

  /** Adds what is new to the store, and runs the share of this process when the kernel has begun. @throws EVENTS_BAD_PROJECTION, EVENTS_UNKNOWN_TYPE */
  async start(): Promise<void> {
    const { kernel, base, projections } = this.needs;
    if (projections.length === 0) return;
    await registerProjections(base, projections, this.needs.clock);
    for (const each of projections) {
      const filter = this.filterOf(each);
      const kind = `projection ${each.name} ${each.version}`;
      const run = (lane: Lane): Promise<void> => runShard(this.runner, each, filter, lane);
      kernel.lanes({ kind, count: each.shards, endsWithStop: true, run }); // requests in flight wait for what they wrote
    }
    kernel.lanes({ kind: "projection-upkeep", count: 1, run: ({ signal }) => this.upkeep(signal) });
  }

  waitFor(position: string, options?: WaitOptions): Promise<boolean> {
    return this.waits.until(position, options);
  }

  status(): Promise<readonly ProjectionStatus[]> {
    return readStatus(this.needs.base);
  }

  async resume(name: string, version?: number): Promise<number> {
    this.find(name);
    const count = await setShards(this.needs.base, { name, version }, "running", null);
    this.wakeShards();
    return count;
  }

  async cancel(name: string, version?: number): Promise<boolean> {
    this.find(name);
    return await cancelBuild(this.needs.base, name, version);
  }

  async rebuild(name: string, version?: number): Promise<boolean> {
    const isCancelled = await buildAgain(this.needs.base, this.find(name, version));
    this.wakeShards();
    return isCancelled;
  }

  async goLive(name: string, version?: number): Promise<boolean> {
    const { base, reader, clock } = this.needs;
    const projection = this.find(name, version);
    const place = { name, version: projection.version, shard: 0 };
    const shard = { base, projection, place, check: async () => {} }; // the rows of its shards are locked
    const isLive = await goLive({ shard, filter: this.filterOf(projection), reader, clock });
    this.wakeShards();
    return isLive;
  }

  async rebuildPart(name: string, { tenant = "", stream }: Partial<ViewPart>): Promise<number> {
    const { base, reader, clock, projections } = this.needs;
    const versions = projections.filter((each) => each.name === this.find(name).name);
    checkTenant(tenant);
    if (stream !== undefined) checkStream(stream);
    const part = stream === undefined ? { tenant } : { tenant, stream };
    return await rebuildPart({
      base,
      reader,
      clock,
      versions,
      part,
      filterOf: (each) => this.filterOf(each),
    });
  }

  private wakeShards(): void {
    const { kernel, eventsChannel } = this.needs;
    kernel.wakeUp.signal(eventsChannel);
  }

  private filterOf(projection: Projection): EventFilter {
    return { types: storedTypes(projection, this.needs.types), category: projection.category };
  }

  /** A version of a projection, the highest by default. @throws EVENTS_UNKNOWN_PROJECTION */
  private find(name: string, version?: number): Projection {
    const versions = this.needs.projections.filter(
      (each) => each.name === name && (version === undefined || each.version === version),
    );
    const highest = versions.toSorted((one, other) => other.version - one.version)[0];
    if (highest !== undefined) return highest;
    const wanted = version === undefined ? name : `version ${version} of ${name}`;
    throw mistake("EVENTS_UNKNOWN_PROJECTION", `${wanted} is not in the option \`projections\``);
  }

  private async upkeep(signal: AbortSignal): Promise<void> {
    const bell = new Bell(this.needs.clock);
    while (!signal.aborted) {
      await dropRetired(this.needs.base, this.needs.projections);
      await bell.wait(DROP_EVERY_MS, signal);
    }
  }
}
