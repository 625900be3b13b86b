import { isPromise } from "@framework/core/feature";
import type { Queries } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import { jsonProblem } from "../events/json.ts";
import type { Fold, FoldedState } from "./fold.ts";
import { SnapshotQueue } from "./snapshot-queue.ts";
import {
  checksumOf,
  readSnapshot,
  type SnapshotRef,
  type SnapshotRow,
  writeSnapshot,
} from "./snapshot-rows.ts";

/** A stream of a tenant. */
export type StreamRef = Omit<SnapshotRef, "fold">;

/** Maximum size of a snapshot, in bytes of JSON. */
export const MAX_SNAPSHOT_BYTES = 1_048_576;

/** Reads and takes snapshots. They are an optimisation: an unusable one is ignored. */
export class Snapshots {
  private readonly base: StoreBase;
  private readonly queue = new SnapshotQueue();
  /** Folds and reasons already logged. Bounded by the number of folds in the program. */
  private readonly warned = new Set<string>();
  /** Names of the folds whose `fromSnapshot` has thrown: it is tried before another snapshot is taken. */
  private readonly failing = new Set<string>();

  constructor(base: StoreBase) {
    this.base = base;
  }

  /** Returns the state of a snapshot that matches the fold, or the initial state. */
  async load<State>(queries: Queries, fold: Fold<State>, stream: StreamRef): Promise<FoldedState<State>> {
    const ref: SnapshotRef = { ...stream, fold: fold.name };
    const row = this.base.settings.enableSnapshots ? await readSnapshot(queries, ref) : null;
    const problem = row === null ? null : problemOf(ref, fold, row);
    if (row === null || problem === "outdated") return initial(fold);
    if (problem === null) {
      try {
        return restore(fold, row);
      } catch (error) {
        this.failing.add(fold.name);
        this.ignore(ref, "unreadable", row, error);
        return initial(fold);
      }
    }
    this.ignore(ref, problem, row);
    return initial(fold);
  }

  /**
   * Serialises the state if a snapshot is due. Call it before the program gets the state, which it may mutate.
   *
   * @returns a function that takes the snapshot in the background, to be called after the commit; `null` if no snapshot is due, or the state cannot be
   * stored
   */
  prepare<State>(fold: Fold<State>, stream: StreamRef, folded: FoldedState<State>): (() => void) | null {
    const { enableSnapshots, snapshotInterval } = this.base.settings;
    if (!enableSnapshots || folded.version - folded.snapshotVersion < snapshotInterval) return null;
    const ref: SnapshotRef = { tenant: stream.tenant, stream: stream.stream, fold: fold.name };
    const row = this.serialise(fold, folded);
    return row === null ? null : () => this.offer(ref, row, [...folded.keys]);
  }

  /** Resolves when all offered snapshots have been taken or dropped. */
  async idle(): Promise<void> {
    await this.queue.idle();
  }

  /** Takes the offered snapshots until the deadline aborts, and accepts no more. */
  async close(deadline?: AbortSignal): Promise<void> {
    await this.queue.close(deadline);
  }

  private offer(ref: SnapshotRef, row: NewRow, keys: readonly string[]): void {
    const take = async (): Promise<void> => {
      const isTaken = await this.base.transaction((tx) => writeSnapshot(this.base, tx, ref, row, keys));
      if (isTaken) this.base.counts.snapshotsTaken++;
    };
    this.queue.offer(keyOf(ref), take, (error) => this.warnOfFailure("a snapshot was not taken", ref, error));
  }

  private serialise<State>(fold: Fold<State>, folded: FoldedState<State>): NewRow | null {
    try {
      return this.rowOf(fold, folded);
    } catch (error) {
      this.warnOnce("serialise", fold.name, "no snapshot: the state could not be serialised", { error });
      return null;
    }
  }

  private rowOf<State>(
    fold: Fold<State>,
    { state, version, lastEvent: event_id, keys }: FoldedState<State>,
  ): NewRow | null {
    const json = fold.toSnapshot(state);
    if (isPromise(json)) json.then(undefined, () => {}); // it is not JSON; a rejection without a listener would end the process
    const problem = jsonProblem(json, "the state");
    if (problem !== null) {
      this.warnOnce(
        "not-json",
        fold.name,
        `no snapshots: ${problem}, which a snapshot cannot store; give the decider toSnapshot and fromSnapshot`,
      );
      return null;
    }
    const text = JSON.stringify(json);
    if (Buffer.byteLength(text) > MAX_SNAPSHOT_BYTES) {
      this.warnOnce("large", fold.name, `no snapshot: the state is larger than ${MAX_SNAPSHOT_BYTES} bytes`);
      return null;
    }
    if (this.failing.has(fold.name) && !canRestore(fold, text)) return null; // already logged
    const { version: fold_version, hash: fold_hash } = fold;
    return { fold_version, fold_hash, version, event_id, state: text, keys: JSON.stringify([...keys]) };
  }

  private ignore(ref: SnapshotRef, problem: Problem, { checksum }: SnapshotRow, error?: unknown): void {
    this.base.counts.snapshotsIgnored++;
    const { stream, tenant, fold } = ref;
    this.warnOnce(problem, fold, `a snapshot was ignored: ${descriptions[problem]}`, {
      stream,
      tenant,
      error,
    });
    if (problem === "newer") return; // newer code that still runs elsewhere uses it
    const remove = async (): Promise<void> => {
      await this.base.db.execute`DELETE FROM framework_snapshots
        WHERE tenant = ${tenant} AND stream = ${stream} AND fold = ${fold} AND checksum = ${checksum}`;
    };
    this.queue.offer(`-${keyOf(ref)}`, remove, (error) =>
      this.warnOfFailure("an unusable snapshot was not deleted", ref, error),
    );
  }

  private warnOfFailure(message: string, { stream, tenant, fold }: SnapshotRef, error: unknown): void {
    this.warnOnce(message, fold, message, { stream, tenant, error });
  }

  private warnOnce(
    reason: string,
    fold: string,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    const key = `${reason} ${fold}`;
    if (this.warned.has(key)) return;
    this.warned.add(key);
    this.base.log.warn(`event-sourcing: ${message}`, { fold, ...fields });
  }
}

type NewRow = Omit<SnapshotRow, "checksum">;

type Problem = "damaged" | "ahead" | "newer" | "unreadable";

const descriptions: Readonly<Record<Problem, string>> = {
  damaged: "it is damaged",
  ahead:
    "its last event is not in the stream; the transaction was rolled back, or the stream restored from a backup",
  newer: "it was taken by newer code",
  unreadable: "fromSnapshot threw",
};

const keyOf = ({ tenant, stream, fold }: SnapshotRef): string => `${tenant}\n${stream}\n${fold}`;

const initial = <State>({ initialState }: Fold<State>): FoldedState<State> => ({
  state: initialState(),
  version: 0,
  lastEvent: "",
  keys: new Set(),
  snapshotVersion: 0,
});

const problemOf = <State>(
  ref: SnapshotRef,
  fold: Fold<State>,
  row: SnapshotRow & { readonly found_id: string | null },
): Problem | "outdated" | null => {
  if (row.checksum !== checksumOf(ref, row)) return "damaged";
  if (row.found_id !== row.event_id) return "ahead";
  if (row.fold_hash === fold.hash) return null;
  return row.fold_version > fold.version ? "newer" : "outdated";
};

const restore = <State>(
  fold: Fold<State>,
  { state, version, event_id, keys }: SnapshotRow,
): FoldedState<State> => ({
  state: fold.fromSnapshot(JSON.parse(state)),
  version,
  lastEvent: event_id,
  keys: new Set(JSON.parse(keys) as string[]), // the checksum has been verified
  snapshotVersion: version,
});

const canRestore = <State>(fold: Fold<State>, state: string): boolean => {
  try {
    fold.fromSnapshot(JSON.parse(state));
    return true;
  } catch {
    return false;
  }
};
