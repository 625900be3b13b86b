import type { Transaction } from "@framework/database";
import type { StoreBase } from "../base/store-base.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import { openFields, SEAL, type Seal } from "../personal-data/sealed-fields.ts";
import { keyLock, secretsOfKeys } from "../personal-data/subject-keys.ts";
import { type InsertedRow, storedEvents } from "./appended.ts";
import type { EncodedEvent } from "./encode-events.ts";
import type { PreparedAppend } from "./prepare-append.ts";

/**
 * Returns the events of an append for the inline views of its transaction. If a person was forgotten since the encryption, the view gets placeholders, like
 * readers. From now on, `forget` waits for the commit.
 */
export const viewEvents = async (
  { db, types }: StoreBase,
  tx: Transaction,
  append: PreparedAppend,
  rows: readonly InsertedRow[],
): Promise<readonly StoredEvent[]> => {
  const events = storedEvents(append, rows);
  const keys = new Set(append.events.flatMap(({ key }) => key ?? []));
  if (keys.size === 0) return events;
  const secrets = await secretsOfKeys(tx, [...keys], keyLock(db.dialect));
  if (secrets.size === keys.size) return events;
  const withPlaceholders = (event: StoredEvent, at: number): StoredEvent => {
    const seal = sealOf(append.events[at]);
    if (seal === null || secrets.has(seal.key)) return event;
    const placeholders = types.get(event.type)?.personal?.placeholders ?? {};
    const data = openFields(event.data as Record<string, unknown>, seal, undefined, event, placeholders);
    return { ...event, data };
  };
  return events.map(withPlaceholders);
};

const sealOf = (event: EncodedEvent | undefined): Seal | null =>
  event === undefined || event.key === null || event.metadata === null
    ? null
    : ((JSON.parse(event.metadata) as Readonly<Record<string, unknown>>)[SEAL] as Seal); // written by sealFields
