import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { FrameworkError } from "@framework/core";

/** One measurement. */
export interface HistoryEntry {
  readonly at: string;
  /** The request, as `GET /books`. */
  readonly request: string;
  /** Processor model: only measurements of the same model are compared. */
  readonly machine: string;
  readonly capacity: number;
  readonly p99Ms: number;
}

/** Maximum number of entries in the file. */
const MAX_ENTRIES = 200;
/** Maximum number of earlier measurements to compare with. */
const MAX_COMPARED = 5;

/** Reads the measurements of a file; an empty list if there is no file. @throws CLI_BAD_HISTORY */
export const readHistory = (path: string): readonly HistoryEntry[] => {
  if (!existsSync(path)) return [];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw badHistory(path, (cause as Error).message, { cause });
  }
  if (Array.isArray(value) && value.every(isEntry)) return value;
  throw badHistory(path, "it is not a list of measurements");
};

const isEntry = (value: unknown): value is HistoryEntry => {
  const { request, machine, capacity } = (value ?? {}) as Partial<Record<keyof HistoryEntry, unknown>>;
  return typeof request === "string" && typeof machine === "string" && typeof capacity === "number";
};

const badHistory = (path: string, reason: string, options?: ErrorOptions): FrameworkError =>
  new FrameworkError(
    "CLI_BAD_HISTORY",
    `${path} cannot be read: ${reason}; correct or remove it, or name another file with --history`,
    options,
  );

/** Appends a measurement; keeps the last 200. */
export const appendHistory = (path: string, entry: HistoryEntry): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify([...readHistory(path), entry].slice(-MAX_ENTRIES), null, 2)}\n`);
};

/** Returns the median capacity of the last 5 measurements of the same request on the same processor model; of an even number, the upper median; `null` if there are none. */
export const usualCapacity = (
  history: readonly HistoryEntry[],
  { request, machine }: HistoryEntry,
): number | null => {
  const comparable = history
    .filter((entry) => entry.request === request && entry.machine === machine)
    .slice(-MAX_COMPARED)
    .map(({ capacity }) => capacity)
    .sort((a, b) => a - b);
  return comparable[Math.floor(comparable.length / 2)] ?? null;
};
