import { hash, timingSafeEqual } from "node:crypto";
import type { AuthErrorCode } from "../error-codes.ts";
import { authProblem } from "../errors.ts";
import type { Problem } from "@framework/core";
import { textOf } from "@framework/core/feature";

/** API keys, or `sha256:` and the hexadecimal digest of one, each with the name of its holder. */
export type ApiKeys = Readonly<Record<string, string>> | Iterable<readonly [key: string, name: string]>;

/** Keys that are compared in constant time. */
export interface KeyDigests {
  readonly problems: readonly Problem[];
  /** Returns the name of a key, `null` for an unknown one. */
  nameOf(key: string): string | null;
}

/** Maximum number of keys: each request is compared with all of them. */
const MAX_KEYS = 1000;
const MAX_KEY_LENGTH = 1024;

interface Entry {
  readonly digest: Uint8Array;
  readonly name: string;
}

/** Creates the digests of keys; the keys themselves are not kept. */
export const keyDigests = (keys: ApiKeys): KeyDigests => {
  const list = pairsOf(keys);
  if (list === null) return { problems: [notPairs], nameOf: () => null };
  const entries = list.slice(0, MAX_KEYS).map(([key, name]) => ({ digest: digestOf(key), name }));
  return { problems: problemsOf(list, entries), nameOf: (key) => nameIn(entries, key) };
};

/** Returns `null` for anything but pairs. A list of strings would otherwise be destructured, with the first character of each as its key. */
const pairsOf = (keys: unknown): readonly Pair[] | null => {
  if (typeof keys !== "object" || keys === null) return null;
  const list = Symbol.iterator in keys ? [...(keys as Iterable<unknown>)] : Object.entries(keys);
  return list.every(isPair) ? list : null;
};

/** The declared types of a pair; `problemsOf` checks the actual ones. */
type Pair = readonly [key: string, name: string];

const isPair = (item: unknown): item is Pair => Array.isArray(item) && item.length === 2;

const notPairs: Problem = authProblem(
  "AUTH_BAD_API_KEY",
  'ApiKeyAuth takes keys with the names of their holders: an object, a Map or a list of pairs, such as { [key]: "service" }',
);

/** Compares every entry, also after a match, so that the time is constant. */
const nameIn = (entries: readonly Entry[], key: string): string | null => {
  if (key.length > MAX_KEY_LENGTH) return null;
  const digest = sha256(key);
  let found = -1;
  for (const [index, entry] of entries.entries()) if (timingSafeEqual(entry.digest, digest)) found = index;
  return entries[found]?.name ?? null;
};

const sha256 = (text: string): Uint8Array => hash("sha256", text, "buffer");

const HASHED_FORM = /^sha256:([0-9a-f]{64})$/i;

const digestOf = (key: unknown): Uint8Array => {
  const text = textOf(key); // `String` throws for an object without a prototype
  const [, digest] = HASHED_FORM.exec(text) ?? [];
  return digest === undefined ? sha256(text) : Buffer.from(digest, "hex");
};

const problemsOf = (list: readonly (readonly [unknown, unknown])[], entries: readonly Entry[]): Problem[] => {
  const problems: Problem[] = [];
  const report = (message: string, code: AuthErrorCode = "AUTH_BAD_API_KEY"): void =>
    void problems.push(authProblem(code, message));
  if (list.length === 0) report('ApiKeyAuth has no keys; give at least one, such as { [key]: "service" }');
  if (list.length > MAX_KEYS)
    report(
      `ApiKeyAuth has ${list.length} keys; at most ${MAX_KEYS} are allowed, since each request is compared with all`,
    );
  for (const [key, name] of list) {
    if (typeof name !== "string" || name === "")
      report("ApiKeyAuth has a key whose name is empty or not a string");
    else if (isUnset(key))
      report(
        `ApiKeyAuth: the key of "${name}" is the string "${key}", the property name that an unset variable becomes`,
      );
    else if (!isSendable(key))
      report(
        `ApiKeyAuth: the key of "${name}" must have 1 to ${MAX_KEY_LENGTH} visible ASCII characters without commas, or be sha256: and 64 hexadecimal digits`,
      );
  }
  const digests = new Set(entries.map(({ digest }) => Buffer.from(digest).toString("hex")));
  if (digests.size < entries.length) report("ApiKeyAuth has a duplicate key, perhaps once as its digest");
  return problems;
};

/** As a property name, an unset variable becomes the string "undefined", which anyone can send. */
const isUnset = (key: unknown): key is string => key === "undefined" || key === "null";

/** Whether a header field can carry the key as a single value. */
const isSendable = (key: unknown): boolean => {
  if (typeof key !== "string" || key.length > MAX_KEY_LENGTH) return false;
  return key.startsWith("sha256:") ? HASHED_FORM.test(key) : /^[!-+\--~]+$/.test(key);
};
