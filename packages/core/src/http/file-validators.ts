import { formatHttpDate } from "./http-date.ts";
import type { Validators } from "./preconditions.ts";

/** State of a file, and the current time. */
export interface FileState {
  /** Length in bytes. */
  readonly size: number;
  /** Last modification, in Unix nanoseconds. */
  readonly changedNs: bigint;
  /** Current time, in Unix milliseconds. */
  readonly nowMs: number;
  /** Content coding of its bytes. @default none */
  readonly coding?: string | null;
}

/** Coarsest resolution of modification times: two seconds on FAT. */
const STEP_MS = 2000;

/**
 * Returns the validators of a file, from its size and modification time.
 *
 * The tag is weak until the file has been unchanged for two seconds: until then it may change again without a change of time or size
 * (RFC 9110 8.8.1). A modification time in the future is not used as a validator (RFC 9110 8.8.2.1).
 */
export const fileValidators = ({
  size,
  changedNs,
  nowMs,
  coding = null,
}: FileState): Required<Validators> => {
  const changedMs = Number(changedNs / 1_000_000n);
  const tag = `"${size.toString(16)}-${changedNs.toString(16)}${coding === null ? "" : `-${coding}`}"`;
  return {
    etag: nowMs - changedMs < STEP_MS ? `W/${tag}` : tag,
    lastModifiedMs: changedMs <= nowMs ? changedMs : null,
    dateMs: nowMs,
  };
};

/** Returns the header fields of validators. */
export const validatorFields = ({ etag, lastModifiedMs }: Validators): Record<string, string> => ({
  ...(typeof etag === "string" && { etag }),
  ...(typeof lastModifiedMs === "number" && { "last-modified": formatHttpDate(lastModifiedMs) }),
});
