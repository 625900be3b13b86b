import type { Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import type { RunTransaction } from "../group-commit/group-commit.ts";
import type { Failure } from "../parked/failure.ts";
import type { OpenParked } from "../parked/open-parked.ts";
import type { ParkedDetails } from "../parked/parked-item.ts";
import type { ParkedSource } from "../parked/parked-source.ts";
import type { WakeUp } from "../wake-up/wake-up.ts";
import type { ExhaustedItem, Park } from "./loop/park.ts";
import { readyChannel } from "./loop/work-channels.ts";
import type { WorkStore } from "./table/work-store.ts";

/** Dependencies of `parkItems` and `parkedItemsSource`. */
export interface ParkedItemsParts {
  readonly base: Pick<KernelBase, "log">;
  readonly store: () => WorkStore;
  readonly parked: OpenParked;
  readonly transaction: RunTransaction;
  readonly wakeUp: WakeUp;
}

const SOURCE = "work";

/** Data of a parked item that only the source reads. */
interface Detail {
  readonly id: number;
  readonly uniqueKey: string | null;
  readonly priority: number;
}

/** The failure stored with an item that gave up while `maxParked` was reached. */
interface LastFailure extends Failure {
  /** Number of attempts after which the item gave up. */
  readonly gaveUpAfter: number;
}

/** Returns the function that parks items that gave up. */
export const parkItems =
  ({ base, store, parked, transaction }: ParkedItemsParts): Park =>
  async (item) => {
    const failure = await lastFailureOf(item, store());
    const isHeld = (await parked.checkRoom())
      ? await transaction((tx) => move(tx, item, failure, { ...store(), parked }))
      : await waitForRoom(item, failure, store());
    const { gaveUpAfter: attempts, ...error } = failure;
    const { id } = item.attempt;
    if (isHeld)
      base.log.error(`durable: an item of "${item.definition.name}" gave up`, { id, attempts, error });
    return isHeld;
  };

/**
 * Returns the failure to store. An item has more attempts than its policy allows if it waited because of `maxParked`, if its process ended or hung in the last
 * attempt, or if its policy was lowered.
 */
const lastFailureOf = async (
  { definition, attempt: { id, row }, failure }: ExhaustedItem,
  { reading }: WorkStore,
): Promise<LastFailure> => {
  if (row.attempts <= definition.retry.attempts) return { ...failure, gaveUpAfter: row.attempts };
  const stored = JSON.parse((await reading.errorOf(id)) ?? "{}") as Partial<LastFailure>;
  return stored.gaveUpAfter === undefined
    ? { ...failure, gaveUpAfter: row.attempts - 1 }
    : (stored as LastFailure);
};

/** Returns the item to its queue with all attempts used, so that it later gives up again without running. */
const waitForRoom = async (
  { definition: { retry }, attempt: { id, fence, row } }: ExhaustedItem,
  failure: LastFailure,
  { settling }: WorkStore,
): Promise<boolean> => {
  const attemptsBack = row.attempts - retry.attempts;
  const waiting = { id, fence, state: "waiting", delayMs: retry.maxDelayMs, attemptsBack } as const;
  return (await settling.settle([{ ...waiting, error: JSON.stringify(failure) }])).has(id);
};

const move = async (
  tx: Transaction,
  { definition, attempt }: ExhaustedItem,
  failure: LastFailure,
  { reading, settling, parked }: WorkStore & Pick<ParkedItemsParts, "parked">,
): Promise<boolean> => {
  const { id, fence, row } = attempt;
  const uniqueKey = await reading.uniqueKeyOf(id, tx);
  const error = JSON.stringify(failure);
  const attemptsBack = row.attempts - failure.gaveUpAfter;
  const held =
    definition.keepFailedSecs > 0
      ? await settling.settle([{ id, fence, state: "parked", error, attemptsBack }], tx)
      : await settling.remove([attempt], tx);
  if (!held.has(id)) return false;
  const detail: Detail = { id, uniqueKey, priority: row.priority };
  await parked.park(tx, {
    source: SOURCE,
    name: definition.name,
    key: row.key,
    payload: row.payload,
    headers: row.headers,
    detail: JSON.stringify(detail),
    failure,
    attempts: failure.gaveUpAfter,
    firstAt: row.created_at,
  });
  return true;
};

/** Returns the source that replays parked items as new items with the same keys and priority. */
export const parkedItemsSource = ({ store, wakeUp }: ParkedItemsParts): ParkedSource => ({
  source: SOURCE,
  async replay(tx, item: ParkedDetails) {
    const { uniqueKey, priority } = item.detail as Detail;
    const row = {
      key: item.key,
      uniqueKey,
      priority,
      delayMs: 0,
      runAt: null,
      payload: JSON.stringify(item.payload),
      headers: JSON.stringify(item.headers),
    };
    const [added] = await store().enqueueing.add(item.name, [row], tx);
    if (added?.isNew !== true) throw new Error(`an unfinished item has its unique key "${uniqueKey}"`);
    wakeUp.signalAfter(tx, readyChannel(item.name));
  },
});
