import type { Clock } from "@framework/core/feature";
import type { Kernel, Lane } from "@framework/durable/feature";
import { WakeSignal } from "../base/wake-signal.ts";
import type { StoreBase } from "../base/store-base.ts";
import { eventError } from "../errors/event-error.ts";
import type { EventFilter, GlobalReader } from "../global-order/global-reader.ts";
import type { AnyEventType } from "../events/event-type.ts";
import { checkStream, checkTenant } from "../names/check-name.ts";
import { type RunnerNeeds, runShard } from "./running/shard-runner.ts";
import { setShards } from "./shards/shard-rows.ts";
import { storedTypes } from "./shards/units.ts";
import { type WaitOptions, Waits } from "./running/wait-for.ts";
import type { Projection, ViewPart } from "./definition/projection.ts";
import { cancelBuild, dropRetired, restartBuild } from "./rebuild/drop-versions.ts";
import { goLive } from "./rebuild/go-live.ts";
import { rebuildPart } from "./rebuild/rebuild-part.ts";
import { registerProjections } from "./versions/register-projections.ts";
import { type ProjectionStatus, readStatus } from "./versions/status.ts";
import { ConcurrencyLimit } from "./running/concurrency-limit.ts";

/** Inspects and operates the projections of a store. @throws EVENTS_UNKNOWN_PROJECTION for a name that this process does not have */
export interface Projections {
  /** Returns the status of every version in the store: position, progress, lag, parked events, errors. */
  status(): Promise<readonly ProjectionStatus[]>;
  /** Resumes shards that an error has stopped, of one version or of all. Resolves to their number. */
  resume(name: string, version?: number): Promise<number>;
  /** Cancels the build of a new version, by default the highest, and drops its tables. Resolves to `false` if none is being built, or none is live. */
  cancel(name: string, version?: number): Promise<boolean>;
  /** Restarts the build of a cancelled version, by default the highest of this process. Resolves to `false` if it was not cancelled, or a later version is live. */
  rebuild(name: string, version?: number): Promise<boolean>;
  /**
   * Rebuilds a part of the live view: the rows built from one stream, or from all streams of a tenant. The projection must have `clear`; if it
   * is inline, all appends wait meanwhile. Resolves to the number of events applied.
   *
   * @throws EVENTS_PART_REFUSED, also for more than 100,000 events; EVENTS_APPEND_OPEN, EVENTS_BAD_NAME; errors of the projection. After an error, nothing has changed
   */
  rebuildPart(name: string, part: Partial<ViewPart>): Promise<number>;
  /**
   * Makes a new version live, by default the highest of this process, if it has caught up with the live one; needed with `autoLive: false`.
   * Earlier versions are retired. Resolves to `false` if the version did not go live.
   *
   * @throws EVENTS_APPEND_OPEN for an inline version, after waiting 30 s for an open append
   */
  goLive(name: string, version?: number): Promise<boolean>;
}

/** Wake-up channel of the kernel, signalled when a view has advanced. */
export const PROJECTIONS_CHANNEL = "projections";

/** Share of the connections that may build versions concurrently; the rest is left for requests and live views. */
const BUILDING_PART = 1 / 8;
/** Interval of checks for tables to drop. */
const DROP_EVERY_MS = 60_000;

/** Dependencies of `ProjectionSet`. */
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
    const buildLimit = new ConcurrencyLimit(() =>
      Math.max(1, Math.floor(base.db.maxTransactions * BUILDING_PART)),
    );
    const onAdvanced = (): void => kernel.wakeUp.signal(PROJECTIONS_CHANNEL);
    const onProgress = (listener: () => void): (() => void) =>
      kernel.wakeUp.on(PROJECTIONS_CHANNEL, listener);
    const names = [...new Set(projections.map(({ name }) => name))];
    this.waits = new Waits({ base, clock, names, onProgress });
    this.runner = {
      base,
      reader,
      clock,
      random: Math.random,
      onAdvanced,
      onWork: (listener) => kernel.wakeUp.on(eventsChannel, listener),
      limited: (run) => buildLimit.run(run),
    };
  }

  /** Registers new versions in the store, and adds their shards to the lanes of the kernel. @throws EVENTS_BAD_PROJECTION, EVENTS_APPEND_OPEN */
  async start(): Promise<void> {
    const { kernel, base, projections } = this.needs;
    if (projections.length === 0) return;
    await registerProjections(base, projections, this.needs.clock);
    for (const each of projections) {
      const filter = this.filterOf(each);
      const kind = `projection ${each.name} ${each.version}`;
      const run = (lane: Lane): Promise<void> => runShard(this.runner, each, filter, lane);
      kernel.lanes({ kind, count: each.shards, endsWithStop: true, run }); // during the drain, requests in flight still wait for their own writes
    }
    kernel.lanes({
      kind: "projection-upkeep",
      count: 1,
      run: ({ signal }) => this.dropRetiredTables(signal),
    });
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
    const isRestarted = await restartBuild(this.needs.base, this.find(name, version));
    this.wakeShards();
    return isRestarted;
  }

  async goLive(name: string, version?: number): Promise<boolean> {
    const { base, reader, clock } = this.needs;
    const projection = this.find(name, version);
    const ref = { name, version: projection.version, shard: 0 };
    const shard = { base, projection, ref, check: async () => {} }; // the rows of its shards are locked
    const isLive = await goLive({ shard, filter: this.filterOf(projection), reader, clock });
    this.wakeShards();
    return isLive;
  }

  async rebuildPart(name: string, { tenant = "", stream }: Partial<ViewPart>): Promise<number> {
    const { base, reader, clock, projections } = this.needs;
    this.find(name);
    const versions = projections.filter((each) => each.name === name);
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

  /** Finds a version of a projection, by default the highest. @throws EVENTS_UNKNOWN_PROJECTION */
  private find(name: string, version?: number): Projection {
    const versions = this.needs.projections.filter(
      (each) => each.name === name && (version === undefined || each.version === version),
    );
    const highest = versions.toSorted((one, other) => other.version - one.version)[0];
    if (highest !== undefined) return highest;
    const wanted = version === undefined ? name : `version ${version} of ${name}`;
    throw eventError("EVENTS_UNKNOWN_PROJECTION", `${wanted} is not in the option \`projections\``);
  }

  private async dropRetiredTables(signal: AbortSignal): Promise<void> {
    const wakeSignal = new WakeSignal(this.needs.clock);
    while (!signal.aborted) {
      await dropRetired(this.needs.base, this.needs.projections);
      await wakeSignal.wait(DROP_EVERY_MS, signal);
    }
  }
}
