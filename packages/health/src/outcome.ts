/** How one run of a check ended. */
export interface Outcome {
  readonly ok: boolean;
  /** What is wrong in words of ours, which anybody may read; `null` when nothing is. */
  readonly message: string | null;
  /** What the check itself said was wrong; may name hosts, users or worse. */
  readonly error: string | null;
  /** What the check returned, fit for JSON. */
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly durationMs: number;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
}

/** Most characters of an error's text in a report. */
const MAX_ERROR = 500;
/** Most characters of a check's details as JSON. */
const MAX_DETAILS = 8192;

/** The text of whatever a check threw, within bounds. */
export const errorText = (thrown: unknown): string => {
  const text = Error.isError(thrown) ? String(thrown.message) : typeof thrown === "string" ? thrown : "";
  return text.length <= MAX_ERROR ? text : `${text.slice(0, MAX_ERROR)}…`;
};

/**
 * What a check returned, as a report can write it: a copy made at once, so that nothing in it can fail or change later. What JSON cannot
 * hold, or more of it than 8 KiB, becomes a note that says so.
 */
export const plainDetails = (returned: unknown): Readonly<Record<string, unknown>> | null => {
  if (typeof returned !== "object" || returned === null) return null;
  try {
    const text = JSON.stringify(returned) ?? "null";
    if (text.length > MAX_DETAILS) return { note: `the details have more than ${MAX_DETAILS} characters` };
    const copy: unknown = JSON.parse(text);
    return typeof copy === "object" ? (copy as Readonly<Record<string, unknown>> | null) : { value: copy };
  } catch {
    return { note: "the details cannot be written as JSON" }; // a cycle, a bigint: the check itself went well
  }
};
