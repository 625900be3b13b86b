import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@framework/core/feature";
import type { Lane } from "@framework/durable/feature";
import { PollBackoff, WakeSignal } from "../../base/wake-signal.ts";
import type { StoreBase } from "../../base/store-base.ts";
import type { EventFilter, GlobalReader } from "../../global-order/global-reader.ts";
import { errorText } from "../shards/error-text.ts";
import { TooManyParkedError } from "../shards/park-units.ts";
import { replayNext } from "../parked/replay-next.ts";
import type { Projection } from "../definition/projection.ts";
import { goLive } from "../rebuild/go-live.ts";
import { applyBatch } from "../shards/apply-batch.ts";
import type { OwnShard } from "../shards/own-shard.ts";
import { readShard, setShards, ShardMovedError, type ShardRow } from "../shards/shard-rows.ts";
import { decodeAhead } from "../shards/shard-batch.ts";
import { type NextBatch, ReadAhead } from "./read-ahead.ts";

/** Dependencies of `runShard`, shared by all shards of a process. */
export interface RunnerNeeds {
  readonly base: StoreBase;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  readonly random: () => number;
  /** Calls back when there may be new work; returns a function that unsubscribes. */
  readonly onWork: (listener: () => void) => () => void;
  /** Called after a shard has advanced. */
  readonly onAdvanced: () => void;
  /** Runs a step of a version that is being built, with limited concurrency. */
  readonly limited: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Result of a step: `more` continues at once, `some` and `none` after a pause. */
type StepResult = "more" | "some" | "none";

/** Runs one shard while this process owns its lane. */
export const runShard = async (
  needs: RunnerNeeds,
  projection: Projection,
  filter: EventFilter,
  lane: Lane,
): Promise<void> => {
  const { base, clock, onWork } = needs;
  const ref = { name: projection.name, version: projection.version, shard: lane.lane };
  const shard: OwnShard = { base, projection, ref, check: (tx) => lane.check(tx) };
  const runner = new ShardRunner(needs, shard, filter, lane.signal);
  const wakeSignal = new WakeSignal(clock);
  const end = onWork(() => wakeSignal.notify());
  const backoff = new PollBackoff();
  try {
    await setShards(base, ref, "running", null); // a shard stopped elsewhere may succeed in this process, or with later code
    while (!lane.signal.aborted) {
      const result = await runner.step();
      if (result === "more") await nextTurn(); // on SQLite every statement is synchronous
      else await wakeSignal.wait(backoff.after(result === "some"), lane.signal);
    }
  } finally {
    end();
  }
};

/** The view contains events that the store has lost, and would miss new events at their positions. The shard stops. */
class ViewAheadError extends Error {
  constructor({ name, version }: Projection) {
    super(
      `the view ${name} ${version} has events that the store has lost, as after the restore of a backup; raise \`version\` to rebuild it`,
    );
  }
}

/** Runs the work of one shard step by step. */
export class ShardRunner {
  private readonly needs: RunnerNeeds;
  private readonly shard: OwnShard;
  private readonly filter: EventFilter;
  private readonly signal: AbortSignal;
  private readonly ahead: ReadAhead;
  /** Row of the shard after the last transaction; `null` if it must be read again. */
  private cachedRow: ShardRow | null = null;

  constructor(needs: RunnerNeeds, shard: OwnShard, filter: EventFilter, signal: AbortSignal) {
    this.needs = needs;
    this.shard = shard;
    this.filter = filter;
    this.signal = signal;
    this.ahead = new ReadAhead((after) => this.read(after));
  }

  /** Runs the next step. @throws errors of the database; the kernel retries after a pause */
  async step(): Promise<StepResult> {
    const { base, ref } = this.shard;
    const row = this.cachedRow ?? (await readShard(base, ref));
    this.cachedRow = null;
    if (row === null || row.state !== "running") return "none";
    try {
      const isBuilding = row.status === "building";
      return isBuilding ? await this.needs.limited(() => this.work(row)) : await this.work(row);
    } catch (error) {
      if (error instanceof ShardMovedError) return "some";
      if (!(error instanceof TooManyParkedError || error instanceof ViewAheadError)) throw error;
      await setShards(base, ref, "stopped", errorText(error));
      base.log.error("event-sourcing: a projection has stopped", { projection: ref.name, error });
      return "none";
    }
  }

  private async work(row: ShardRow): Promise<StepResult> {
    const { shard, needs, filter } = this;
    const { projection } = shard;
    if (row.replays && (await replayNext(shard, row.status === "building"))) {
      needs.onAdvanced();
      return "more";
    }
    if (row.is_inline === 1 && row.status === "live") return "none"; // appends apply their events
    const batch = await this.ahead.take(row.position);
    if (batch.count === 0 && (await needs.reader.isBeyond(row.position)))
      throw new ViewAheadError(projection);
    if (batch.state === "more") this.ahead.begin(batch.position);
    const moved = batch.position > row.position ? await this.apply(row, batch) : null;
    if (row.status === "building" && batch.state !== "more" && projection.autoLive) {
      const { reader, clock } = needs;
      if (await goLive({ shard, filter, reader, clock, signal: this.signal })) needs.onAdvanced();
    }
    if (batch.state === "more") {
      this.cachedRow = moved;
      return "more";
    }
    return batch.count > 0 || batch.state === "waiting" ? "some" : "none";
  }

  private async read(after: number): Promise<NextBatch> {
    const { needs, shard, filter } = this;
    const { base, projection } = shard;
    const { rows, position, state } = await needs.reader.read(after, filter, projection.batchSize, base.db);
    return { position, state, count: rows.length, rows: decodeAhead(shard, rows) };
  }

  private async apply(row: ShardRow, { position, rows }: NextBatch): Promise<ShardRow | null> {
    const { shard, needs, signal } = this;
    const { clock, random } = needs;
    const batchNeeds = { shard, clock, random, signal, isRebuild: row.status === "building" };
    const moved = await applyBatch(batchNeeds, rows, { from: row.position, to: position });
    needs.onAdvanced();
    return moved;
  }
}
