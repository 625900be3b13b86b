import { messageOf } from "@framework/core/feature";

/** Outcome of one run of a check. */
export interface Outcome {
  readonly ok: boolean;
  /** Public description of the failure, or `null`. */
  readonly message: string | null;
  /** The check's own error message; may contain hosts or users. */
  readonly error: string | null;
  /** The check's details, as JSON. */
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly durationMs: number;
  /** Time at which the run ended, in Unix ms. */
  readonly at: number;
}

/** Maximum number of characters of an error message in a report. */
const MAX_ERROR = 500;
/** Maximum number of characters of a check's details as JSON. */
const MAX_DETAILS = 8192;

/** Returns the message of a thrown value, truncated. Never throws, although a message may be any value. */
export const errorText = (thrown: unknown): string => {
  const text = Error.isError(thrown) ? messageOf(thrown) : typeof thrown === "string" ? thrown : "";
  return text.length <= MAX_ERROR ? text : `${text.slice(0, MAX_ERROR)}…`;
};

/**
 * Returns the details of a check as JSON, copied immediately so that they cannot change or fail later. Details that are not JSON, or have more than 8192
 * characters, are replaced by a note.
 */
export const plainDetails = (returned: unknown): Readonly<Record<string, unknown>> | null => {
  if (typeof returned !== "object" || returned === null) return null;
  try {
    const text = JSON.stringify(returned) ?? "null";
    if (text.length > MAX_DETAILS) return { note: `the details have more than ${MAX_DETAILS} characters` };
    const copy: unknown = JSON.parse(text);
    return typeof copy === "object" ? (copy as Readonly<Record<string, unknown>> | null) : { value: copy };
  } catch {
    return { note: "the details are not serialisable as JSON" }; // a cycle or a bigint: the check itself passed
  }
};
