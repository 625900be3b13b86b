import { randomBytes, randomUUID } from "node:crypto";
import { type Database, type Queries, sql, type Statement } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import { KEY_BYTES } from "./field-cipher.ts";

/** The key of a person. */
export interface SubjectKey {
  /** Stays the same for the life of the key; a person who comes back after being forgotten gets another. */
  readonly id: string;
  readonly secret: Uint8Array;
}

interface KeyRow extends SubjectKey {
  readonly subject: string;
}

/** Keys of persons by subject; creates those that do not exist. */
export const keysOfSubjects = async (
  queries: Queries,
  now: Statement,
  tenant: string,
  subjects: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SubjectKey>> => {
  const found = await readKeys(queries, tenant, [...subjects]);
  const missing = [...subjects].filter((subject) => !found.has(subject)).toSorted(); // in one order, or two transactions wait for each other
  for (const subject of missing) {
    // The update changes nothing; it makes the statement return the key of another append too. A separate read could come after a `forget`, and find none.
    const key = await queries.fetchOne<SubjectKey>`INSERT INTO framework_subject_keys
        (id, tenant, subject, secret, created_at)
      VALUES (${randomUUID()}, ${tenant}, ${subject}, ${randomBytes(KEY_BYTES)}, ${now})
      ON CONFLICT (tenant, subject) DO UPDATE SET subject = excluded.subject RETURNING id, secret`;
    if (key !== null) found.set(subject, key);
  }
  return found;
};

const readKeys = async (
  queries: Queries,
  tenant: string,
  subjects: readonly string[],
): Promise<Map<string, SubjectKey>> => {
  const rows = await queries.query<KeyRow>`SELECT subject, id, secret FROM framework_subject_keys
    WHERE tenant = ${tenant} AND subject IN (${paddedList(subjects)})`;
  return new Map(rows.map(({ subject, id, secret }) => [subject, { id, secret }]));
};

/** Clause of a statement that reads keys: `forget` waits until its transaction ends. SQLite runs transactions that write one at a time, and needs none. */
export const keyLock = (dialect: Database["dialect"]): Statement =>
  dialect === "postgres" ? sql`FOR SHARE` : sql``;

/**
 * Secrets by the id of the key; those of forgotten persons are missing. Never cached, so that a forgotten person is forgotten at once.
 *
 * @param lock `keyLock`, when what is decrypted is stored elsewhere
 */
export const secretsOfKeys = async (
  queries: Queries,
  ids: readonly string[],
  lock: Statement,
): Promise<ReadonlyMap<string, Uint8Array>> => {
  if (ids.length === 0) return new Map();
  const rows = await queries.query<SubjectKey>`SELECT id, secret FROM framework_subject_keys
    WHERE id IN (${paddedList(ids)}) ${lock}`;
  return new Map(rows.map(({ id, secret }) => [id, secret]));
};
