/** A duration: milliseconds, or a whole number with a unit, such as `500ms`, `30s`, `15m`, `24h` or `7d`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Converts a duration to whole milliseconds, rounded up; `null` for any other value. */
export const durationMs = (duration: unknown): number | null => {
  if (typeof duration === "number") return duration >= 0 && duration < Infinity ? Math.ceil(duration) : null;
  const [, amount, unit = ""] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const factor = units.get(unit);
  return amount === undefined || factor === undefined ? null : Number(amount) * factor;
};
