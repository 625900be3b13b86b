import { eventError } from "../../errors/event-error.ts";
import type { Projection } from "./projection.ts";

const NAME = /^[a-z][a-z0-9_-]{0,49}$/;
const TABLE = /^[a-z][a-z0-9_]{0,49}$/;

const ranges = {
  version: [1, 1_000_000],
  shards: [1, 64],
  batchSize: [1, 1000],
  maxLagSecs: [1, 604_800],
  keepRetiredSecs: [0, 31_536_000],
} as const;

/** @throws EVENTS_BAD_PROJECTION */
export const checkProjection = (projection: Projection): void => {
  const problem = problemOf(projection);
  if (problem !== null)
    throw eventError("EVENTS_BAD_PROJECTION", `projection ${projection.name}: ${problem}`);
};

const problemOf = (projection: Projection): string | null => {
  const { name, types, tables, inline, shards, onError, apply, clear, key } = projection;
  const hasName = typeof name === "string" && NAME.test(name); // the expression would match "undefined"
  if (!hasName)
    return "its name must be 1 to 50 lower-case letters, digits, underscores and dashes, and begin with a letter";
  for (const [field, [min, max]] of Object.entries(ranges)) {
    const value = projection[field as keyof typeof ranges];
    if (!Number.isInteger(value) || value < min || value > max)
      return `\`${field}\` must be an integer from ${min} to ${max}, not ${String(value)}`;
  }
  if (types?.length === 0) return "`types` must not be empty; leave it out for all types";
  for (const table of Object.keys(tables))
    if (!TABLE.test(table))
      return `the table ${table} must be named with 1 to 50 lower-case letters, digits and underscores, and begin with a letter`;
  if (inline && shards > 1) return "an inline projection must have one shard; remove `shards`";
  if (inline && onError === "park") return "an inline projection cannot park events; remove `onError`";
  if (onError !== "park" && onError !== "stop") return '`onError` must be "park" or "stop"';
  if (clear !== undefined && typeof clear !== "function") return "`clear` must be a function";
  if (key !== undefined && typeof key !== "function") return "`key` must be a function";
  return typeof apply === "function" ? null : "`apply` must be a function";
};
