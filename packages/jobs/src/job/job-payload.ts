/** Stored payload of a job. The wrapper distinguishes a job without an input from one whose input is `null`. */
export interface JobPayload {
  readonly input?: unknown;
}

/** Returns the input in a stored payload. */
export const inputIn = (payload: unknown): unknown => (payload as JobPayload).input;
