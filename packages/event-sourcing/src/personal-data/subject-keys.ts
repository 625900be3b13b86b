import { randomBytes, randomUUID } from "node:crypto";
import { type Database, type Queries, sql, type Statement } from "@framework/database";
import { paddedList } from "../base/padded-list.ts";
import { KEY_BYTES } from "./field-cipher.ts";

/** The key of a person. */
export interface SubjectKey {
  /** Id of the key. A person who returns after being forgotten gets a new key with another id. */
  readonly id: string;
  readonly secret: Uint8Array;
}

interface KeyRow extends SubjectKey {
  readonly subject: string;
}

/** Keys of the persons of one tenant, by subject. */
export type SubjectKeys = ReadonlyMap<string, SubjectKey>;

/** No keys, for events without personal data. */
export const noKeys: SubjectKeys = new Map();

/**
 * Returns the keys of persons by tenant; creates missing ones. A created key locks its subject until the transaction ends. Keys are created in a fixed order,
 * so that concurrent calls do not deadlock.
 */
export const keysByTenant = async (
  queries: Queries,
  now: Statement,
  subjects: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, SubjectKeys>> => {
  const keys = new Map<string, SubjectKeys>();
  for (const tenant of [...subjects.keys()].toSorted())
    keys.set(tenant, await keysOfSubjects(queries, now, tenant, subjects.get(tenant) ?? new Set()));
  return keys;
};

/** Returns the keys of persons of one tenant by subject; creates missing ones in a fixed order. */
export const keysOfSubjects = async (
  queries: Queries,
  now: Statement,
  tenant: string,
  subjects: ReadonlySet<string>,
): Promise<SubjectKeys> => {
  const found = await readKeys(queries, tenant, [...subjects]);
  const missing = [...subjects].filter((subject) => !found.has(subject)).toSorted();
  for (const subject of missing) {
    // The update changes nothing, but makes the statement return a key that another append created. A separate read might find none, after a concurrent `forget`.
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

/** Clause that locks the keys read by a statement: `forget` waits until the transaction ends. SQLite needs none, because write transactions run one at a time. */
export const keyLock = (dialect: Database["dialect"]): Statement =>
  dialect === "postgres" ? sql`FOR SHARE` : sql``;

/**
 * Returns secrets by key id, without the secrets of forgotten persons. Never cached, so that `forget` takes effect at once.
 *
 * @param lock `keyLock` if the transaction stores decrypted data
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
