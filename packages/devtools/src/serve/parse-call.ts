import type { Call } from "../messages.ts";

/** A call and its worker; `null` for the worker that received the request. */
export interface WorkerCall {
  readonly call: Call;
  readonly worker: string | null;
}

const MAX_NAME = 400;
const MAX_FIELDS = 20;

/** Parses the call of a page; `null` if it is invalid. */
export const parseCall = (value: unknown): WorkerCall | null => {
  if (!isRecord(value)) return null;
  const { do: kind, panel, row = null, worker = null, action, texts = {} } = value;
  if (!isName(panel) || !(row === null || isName(row)) || !(worker === null || isName(worker))) return null;
  if (kind === "details") return row === null ? null : { call: { do: kind, panel, row }, worker };
  if (kind !== "act" || !isName(action) || !isTexts(texts)) return null;
  return { call: { do: kind, panel, action, row, texts }, worker };
};

const isName = (value: unknown): value is string => typeof value === "string" && value.length <= MAX_NAME;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) &&
  Object.keys(value).length <= MAX_FIELDS &&
  Object.values(value).every((text) => typeof text === "string");
