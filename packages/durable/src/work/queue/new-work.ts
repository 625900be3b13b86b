import { isPlainObject, describeInvalid, unknownFields } from "@framework/core/feature";
import { MAX_PRIORITY } from "../table/priorities.ts";
import type { NewRow } from "../table/enqueueing.ts";
import { jsonText } from "./json-text.ts";
import { badWork } from "./work-errors.ts";

/** Work to enqueue. */
export interface NewWork<T> {
  /** A JSON value, at most 1 MiB as JSON. */
  readonly payload: T;
  /** Items of a queue with the same key run one at a time, in the order in which they were added; at most 400 characters. @default none */
  readonly key?: string | undefined;
  /** While an item with this key is unfinished, no other item with it is added to the queue; at most 400 characters. @default none */
  readonly uniqueKey?: string | undefined;
  /** From -100 to 100; items with a higher priority are claimed first. @default 0 */
  readonly priority?: number | undefined;
  /** Earliest start in milliseconds from now, by the database's clock; at most ten years. @default 0 */
  readonly delayMs?: number | undefined;
  /** Earliest start, as a date or in Unix ms. Cannot be combined with `delayMs`. */
  readonly runAt?: Date | number | undefined;
  /** Strings stored with the item, such as trace context; at most 16 KiB as JSON. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Maximum size of a payload and of a result, in bytes of JSON. */
export const MAX_PAYLOAD_BYTES = 1_048_576;
/** Maximum size of headers, in bytes of JSON. */
export const MAX_HEADER_BYTES = 16_384;
/** Maximum number of items per call. */
export const MAX_ITEMS = 10_000;
/** Maximum total size of the payloads and headers of one call, in characters of JSON: a JavaScript string has at most half a GiB. */
export const MAX_CALL_LENGTH = 67_108_864;

const MAX_KEY_LENGTH = 400;
const MAX_DELAY_MS = 315_360_000_000;
const MAX_DATE_MS = 8_640_000_000_000_000;

const names = Object.keys({
  payload: 0,
  key: 0,
  uniqueKey: 0,
  priority: 0,
  delayMs: 0,
  runAt: 0,
  headers: 0,
} satisfies Record<keyof NewWork<unknown>, 0>);

/** Checks and serialises work. @throws DURABLE_BAD_WORK */
export const toRow = (queue: string, work: NewWork<unknown>): NewRow => {
  const [unknown] = unknownFields("the item", work, names);
  if (unknown !== undefined) throw badWork(queue, unknown);
  const { payload, key, uniqueKey, priority = 0, delayMs = 0, runAt, headers } = work;
  if (work.delayMs !== undefined && runAt !== undefined)
    throw badWork(queue, "delayMs and runAt cannot be combined: both set the earliest start");
  if (!(Number.isInteger(priority) && Math.abs(priority) <= MAX_PRIORITY))
    throw badWork(
      queue,
      `priority must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}, not ${priority}`,
    );
  if (!(typeof delayMs === "number" && delayMs >= 0 && delayMs <= MAX_DELAY_MS))
    throw badWork(
      queue,
      `delayMs must be a number from 0 to ${MAX_DELAY_MS}, not ${describeInvalid(delayMs)}`,
    );
  return {
    key: checkedKey(queue, "key", key),
    uniqueKey: checkedKey(queue, "uniqueKey", uniqueKey),
    priority,
    delayMs: Math.ceil(delayMs),
    runAt: runAt === undefined ? null : checkedDate(queue, runAt),
    payload: jsonText(payload, { queue, subject: "payload", maxBytes: MAX_PAYLOAD_BYTES }),
    headers: headers === undefined ? null : checkedHeaders(queue, headers),
  };
};

const checkedKey = (queue: string, fieldName: string, key: string | undefined): string | null => {
  if (key === undefined) return null;
  const isText = typeof key === "string" && key !== "" && key.length <= MAX_KEY_LENGTH;
  if (isText && key.isWellFormed() && !key.includes("\0")) return key;
  const found = typeof key === "string" ? "" : `, not ${describeInvalid(key)}`;
  throw badWork(
    queue,
    `${fieldName} must be a string of 1 to ${MAX_KEY_LENGTH} characters without NUL or lone surrogates${found}`,
  );
};

const checkedDate = (queue: string, runAt: Date | number): number => {
  const ms = Number(runAt);
  const isTime: boolean = typeof runAt === "number" || runAt instanceof Date;
  if (isTime && ms >= 0 && ms <= MAX_DATE_MS) return Math.ceil(ms);
  throw badWork(queue, "runAt must be a Date or Unix milliseconds");
};

const checkedHeaders = (queue: string, headers: Readonly<Record<string, string>>): string => {
  if (!isPlainObject(headers))
    throw badWork(queue, `headers must be an object of strings, not ${describeInvalid(headers)}`);
  if (!Object.values(headers).every((value) => typeof value === "string"))
    throw badWork(queue, "every header must be a string");
  return jsonText(headers, { queue, subject: "headers", maxBytes: MAX_HEADER_BYTES });
};
