/** Milliseconds of the units of `grpc-timeout`. */
const units: Readonly<Record<string, number>> = { n: 1e-6, u: 1e-3, m: 1, S: 1000, M: 60_000, H: 3_600_000 };

/** Maximum time until a deadline, about 24 days: timers are limited to 2^31 - 1 ms. Longer timeouts are reduced to it. */
export const MAX_TIMEOUT_MS = 2_147_483_000;

/** Returns the milliseconds of a `grpc-timeout`; `null` for malformed text. */
export const timeoutMs = (text: string): number | null => {
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return digits === undefined ? null : Math.min(Number(digits) * (units[unit] ?? 0), MAX_TIMEOUT_MS);
};
