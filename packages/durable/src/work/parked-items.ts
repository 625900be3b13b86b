import type { Transaction } from "@framework/database";
import type { RunTransaction } from "../group-commit/group-commit.ts";
import type { OpenParked } from "../parked/open-parked.ts";
import type { ParkedDetails } from "../parked/parked-item.ts";
import type { ParkedSource } from "../parked/parked-source.ts";
import type { WakeUp } from "../wake-up/wake-up.ts";
import type { GivenUp, Park } from "./loop/park.ts";
import { readyChannel } from "./loop/work-channels.ts";
import type { WorkStore } from "./table/work-store.ts";

/** What the items of queues need to be parked and replayed. */
export interface ParkedItemsParts {
  readonly store: () => WorkStore;
  readonly parked: OpenParked;
  readonly transaction: RunTransaction;
  readonly wakeUp: WakeUp;
}

const SOURCE = "work";

/** Fields of an item that only the queues use. */
interface Detail {
  readonly id: number;
  readonly uniqueKey: string | null;
  readonly priority: number;
}

/** Returns how items that gave up are parked. */
export const parkItems =
  ({ store, parked, transaction }: ParkedItemsParts): Park =>
  async (item) => {
    if (!(await parked.hasRoom())) return "full";
    return await transaction((tx) => move(tx, item, store(), parked));
  };

const move = async (
  tx: Transaction,
  { definition, attempt, failure }: GivenUp,
  { reading, settling }: WorkStore,
  parked: OpenParked,
): Promise<"parked" | "lost"> => {
  const { id, fence, row } = attempt;
  const uniqueKey = await reading.uniqueKeyOf(id, tx);
  const error = JSON.stringify(failure);
  const held =
    definition.keepFailedSecs > 0
      ? await settling.settle([{ id, fence, state: "parked", error }], tx)
      : await settling.remove([attempt], tx);
  if (!held.has(id)) return "lost";
  const detail: Detail = { id, uniqueKey, priority: row.priority };
  await parked.park(tx, {
    source: SOURCE,
    name: definition.name,
    key: row.key,
    payload: row.payload,
    headers: row.headers,
    detail: JSON.stringify(detail),
    failure,
    attempts: Math.min(row.attempts, definition.retry.attempts),
    firstAt: row.created_at,
  });
  return "parked";
};

/** Returns the source that takes parked items back: as new items, with their keys and priority. */
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
