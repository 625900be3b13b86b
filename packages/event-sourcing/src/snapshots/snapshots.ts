import type { Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { jsonProblem } from "../events/json.ts";
import type { Fold, Folded } from "./fold.ts";
import { SnapshotQueue } from "./snapshot-queue.ts";
import {
  checksumOf,
  readSnapshot,
  type SnapshotPlace,
  type SnapshotRow,
  writeSnapshot,
} from "./snapshot-rows.ts";

/** A stream of a tenant. */
export type StreamPlace = Omit<SnapshotPlace, "fold">;

/** Largest snapshot, in bytes of JSON. */
export const MAX_SNAPSHOT_BYTES = 1_048_576;

/** Reads and takes snapshots. They save reading, and nothing depends on them: whatever is wrong with one, it is ignored. */
export class Snapshots {
  private readonly base: StoreBase;
  private readonly queue: SnapshotQueue;
  /** What was logged: once for each fold and reason. Bounded by the folds of the program. */
  private readonly told = new Set<string>();

  constructor(base: StoreBase) {
    this.base = base;
    this.queue = new SnapshotQueue((error) => this.tell("failed", "", "a snapshot was not taken", { error }));
  }

  /** The state to begin with: of a snapshot that fits the fold, or the initial one. */
  async load<State>(queries: Queries, fold: Fold<State>, stream: StreamPlace): Promise<Folded<State>> {
    const place: SnapshotPlace = { ...stream, fold: fold.name };
    const row = this.base.settings.enableSnapshots ? await readSnapshot(queries, place) : null;
    const problem = row === null ? null : problemOf(place, fold, row);
    if (row === null || problem === "outdated") return initial(fold);
    if (problem === null) {
      try {
        return restored(fold, row);
      } catch (error) {
        this.ignore(place, "damaged", row, error);
        return initial(fold);
      }
    }
    this.ignore(place, problem, row);
    return initial(fold);
  }

  /**
   * Serialises the state, when it is far enough from the last snapshot. Call it before the program gets the state, which it may change.
   *
   * @returns takes the snapshot in the background; call it after the commit. `null` when no snapshot is due
   */
  prepare<State>(fold: Fold<State>, stream: StreamPlace, folded: Folded<State>): (() => void) | null {
    const { enableSnapshots, snapshotInterval } = this.base.settings;
    if (!enableSnapshots || folded.version - folded.snapshotVersion < snapshotInterval) return null;
    const place: SnapshotPlace = { tenant: stream.tenant, stream: stream.stream, fold: fold.name };
    const row = this.serialised(fold, folded);
    return row === null ? null : () => this.offer(place, row, [...folded.keys]);
  }

  /** Resolves when every offered snapshot was taken or dropped. */
  async idle(): Promise<void> {
    await this.queue.idle();
  }

  /** Takes what was offered until the deadline aborts, and nothing after. */
  async close(deadline?: AbortSignal): Promise<void> {
    await this.queue.close(deadline);
  }

  private offer(place: SnapshotPlace, row: NewRow, keys: readonly string[]): void {
    this.queue.offer(keyOf(place), async () => {
      const isTaken = await this.base.transaction((tx) => writeSnapshot(this.base, tx, place, row, keys));
      if (isTaken) this.base.counts.snapshotsTaken++;
    });
  }

  private serialised<State>(fold: Fold<State>, folded: Folded<State>): NewRow | null {
    try {
      return this.rowOf(fold, folded);
    } catch (error) {
      this.tell("serialise", fold.name, "no snapshot: the state could not be serialised", { error });
      return null;
    }
  }

  private rowOf<State>(
    fold: Fold<State>,
    { state, version, lastEvent: event_id, keys }: Folded<State>,
  ): NewRow | null {
    const json = fold.toSnapshot(state);
    const problem = jsonProblem(json, "the state");
    if (problem !== null) {
      this.tell(
        "not-json",
        fold.name,
        `no snapshots: ${problem}, which JSON cannot represent; give the decider toSnapshot and fromSnapshot`,
      );
      return null;
    }
    const text = JSON.stringify(json);
    if (Buffer.byteLength(text) > MAX_SNAPSHOT_BYTES) {
      this.tell("large", fold.name, `no snapshot: the state is larger than ${MAX_SNAPSHOT_BYTES} bytes`);
      return null;
    }
    const { version: fold_version, hash: fold_hash } = fold;
    return { fold_version, fold_hash, version, event_id, state: text, keys: JSON.stringify([...keys]) };
  }

  private ignore(place: SnapshotPlace, problem: Problem, { checksum }: SnapshotRow, error?: unknown): void {
    this.base.counts.snapshotsIgnored++;
    const { stream, tenant, fold } = place;
    this.tell(problem, fold, `a snapshot was ignored: ${sentences[problem]}`, { stream, tenant, error });
    if (problem === "newer") return; // of code that still runs elsewhere
    this.queue.offer(`-${keyOf(place)}`, async () => {
      await this.base.db.execute`DELETE FROM framework_snapshots
        WHERE tenant = ${tenant} AND stream = ${stream} AND fold = ${fold} AND checksum = ${checksum}`;
    });
  }

  private tell(
    reason: string,
    fold: string,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    const key = `${reason} ${fold}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    this.base.log.warn(`event-sourcing: ${message}`, { fold, ...fields });
  }
}

type NewRow = Omit<SnapshotRow, "checksum">;

type Problem = "damaged" | "ahead" | "newer";

const sentences: Readonly<Record<Problem, string>> = {
  damaged: "it is damaged",
  ahead:
    "its last event is not in the stream; its transaction was undone, or the stream restored from a backup",
  newer: "newer code made it",
};

const keyOf = ({ tenant, stream, fold }: SnapshotPlace): string => `${tenant}\n${stream}\n${fold}`;

const initial = <State>({ initialState }: Fold<State>): Folded<State> => ({
  state: initialState(),
  version: 0,
  lastEvent: "",
  keys: new Set(),
  snapshotVersion: 0,
});

const problemOf = <State>(
  place: SnapshotPlace,
  fold: Fold<State>,
  row: SnapshotRow & { readonly found_id: string | null },
): Problem | "outdated" | null => {
  if (row.checksum !== checksumOf(place, row)) return "damaged";
  if (row.found_id !== row.event_id) return "ahead";
  if (row.fold_hash === fold.hash) return null;
  return row.fold_version > fold.version ? "newer" : "outdated";
};

const restored = <State>(
  fold: Fold<State>,
  { state, version, event_id, keys }: SnapshotRow,
): Folded<State> => ({
  state: fold.fromSnapshot(JSON.parse(state)),
  version,
  lastEvent: event_id,
  keys: new Set(JSON.parse(keys) as string[]), // its checksum is that of writeSnapshot
  snapshotVersion: version,
});
