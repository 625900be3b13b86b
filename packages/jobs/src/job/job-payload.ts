/** How an input is stored: a job without an input is distinct from one whose input is `null`. */
export interface JobPayload {
  readonly input?: unknown;
}

/** Returns the input that a stored payload has. */
export const inputIn = (payload: unknown): unknown => (payload as JobPayload).input;
