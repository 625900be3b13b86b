/** Parsed `traceparent` field. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the caller's span. */
  readonly spanId: string;
  /** Whether the caller records the trace. */
  readonly isSampled: boolean;
  /** Whether the trace id is random (Trace Context level 2), so that samplers may rely on its last 7 bytes. */
  readonly isRandom: boolean;
}

const FIELD = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const zeroTrace = "0".repeat(32);
const zeroSpan = "0".repeat(16);

/**
 * Parses a `traceparent` field (W3C Trace Context, level 2); `null` for an invalid field.
 *
 * Version 00 has exactly four parts; later versions may have more, which are ignored; version ff is invalid.
 */
export const parseTraceParent = (value: string): TraceParent | null => {
  const match = FIELD.exec(value);
  if (match === null) return null;
  const [, version = "", traceId = "", spanId = "", flags = "", more] = match;
  if (version === "ff" || (version === "00" && more !== undefined)) return null;
  if (traceId === zeroTrace || spanId === zeroSpan) return null;
  const bits = Number.parseInt(flags, 16);
  return { traceId, spanId, isSampled: (bits & 1) === 1, isRandom: (bits & 2) === 2 };
};

/** Formats a `traceparent` field of version 00. */
export const formatTraceParent = ({ traceId, spanId, isSampled, isRandom }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${(isSampled ? 1 : 0) + (isRandom ? 2 : 0)}`;
