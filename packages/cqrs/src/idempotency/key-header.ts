import type { Metadata } from "@framework/core";
import { badKey, isKey } from "./key-errors.ts";

/** The field that carries an idempotency key (draft-ietf-httpapi-idempotency-key-header). */
export const KEY_FIELD = "idempotency-key";

/** A String of Structured Fields (RFC 9651 3.3.3); its parameters, if any, are ignored. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"[ \t]*(?:;[\x20-\x7e]*)?$/;

/**
 * Returns the idempotency key of a request; `null` if there is none. The draft requires a quoted string; the unquoted form, which most clients send, is the same key.
 *
 * @throws ValueError 400 (CQRS_BAD_KEY)
 */
export const keyOf = (headers: Metadata): string | null => {
  const values = headers.getAll(KEY_FIELD);
  const [value] = values;
  if (value === undefined) return null;
  if (values.length > 1) throw badKey();
  const quoted = QUOTED.exec(value.trim());
  const key = quoted === null ? value.trim() : (quoted[1] ?? "").replaceAll(/\\(["\\])/g, "$1");
  if (!isKey(key) || (quoted === null && key.includes('"'))) throw badKey();
  return key;
};
