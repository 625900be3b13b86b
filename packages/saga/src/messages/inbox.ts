import type { Statement, Transaction } from "@framework/database";

/** A message for an instance. */
export interface NewMessage {
  readonly sagaId: string;
  /** Id of the message, for deduplication. */
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
}

/** Adds a message. Returns whether it is new. The caller must hold the lock of the instance. */
export const addMessage = async (
  tx: Transaction,
  now: Statement,
  { sagaId, id, name, data }: NewMessage,
): Promise<boolean> => {
  const { changes } =
    await tx.execute`INSERT INTO framework_saga_inbox (saga_id, message_id, number, name, data, arrived_at)
    VALUES (${sagaId}, ${id}, (SELECT count(*) FROM framework_saga_inbox WHERE saga_id = ${sagaId}), ${name}, ${data}, ${now})
    ON CONFLICT (saga_id, message_id) DO NOTHING`;
  return changes > 0;
};

/** Returns the number of messages of an instance. */
export const countMessages = async (tx: Transaction, sagaId: string): Promise<number> =>
  (await tx.fetchValue<number>`SELECT count(*) FROM framework_saga_inbox WHERE saga_id = ${sagaId}`) ?? 0;

/** Returns whether an instance has a message with an id. */
export const hasMessageId = async (tx: Transaction, sagaId: string, id: string): Promise<boolean> =>
  (await tx.fetchValue`SELECT message_id FROM framework_saga_inbox
    WHERE saga_id = ${sagaId} AND message_id = ${id}`) !== null;

/** Returns whether an instance has an unconsumed message with a name. */
export const hasMessage = async (tx: Transaction, sagaId: string, name: string): Promise<boolean> =>
  (await tx.fetchValue`SELECT message_id FROM framework_saga_inbox
    WHERE saga_id = ${sagaId} AND name = ${name} AND taken_at IS NULL LIMIT 1`) !== null;

/** Consumes the first unconsumed message with a name. Returns its data as JSON; `null` if there is none. */
export const takeMessage = async (
  tx: Transaction,
  now: Statement,
  { sagaId, name }: { readonly sagaId: string; readonly name: string },
): Promise<string | null> => {
  const first = await tx.fetchOne<{
    message_id: string;
    data: string;
  }>`SELECT message_id, data FROM framework_saga_inbox
    WHERE saga_id = ${sagaId} AND name = ${name} AND taken_at IS NULL ORDER BY number LIMIT 1`;
  if (first === null) return null;
  await tx.execute`UPDATE framework_saga_inbox SET taken_at = ${now}
    WHERE saga_id = ${sagaId} AND message_id = ${first.message_id}`;
  return first.data;
};
