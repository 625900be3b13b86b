import type { Clock } from "@framework/core/feature";

/** Returns a function that formats the time as `2026-01-31T12:00:00.000Z`; caches the last second and millisecond. */
export const isoClock = ({ date }: Pick<Clock, "date">): (() => string) => {
  let second = Number.NaN;
  let prefix = "";
  let last = Number.NaN;
  let text = "";
  return () => {
    const ms = Math.floor(date());
    if (ms === last) return text;
    const whole = Math.floor(ms / 1000);
    if (whole !== second) {
      second = whole;
      prefix = new Date(whole * 1000).toISOString().slice(0, -4);
    }
    last = ms;
    text = `${prefix}${thousandths(ms - whole * 1000)}Z`;
    return text;
  };
};

/** Milliseconds with three decimals: `0.042`. */
export const milliseconds = (ms: number): string => {
  const micros = Math.max(0, Math.round(ms * 1000));
  const whole = Math.floor(micros / 1000);
  return `${whole}.${thousandths(micros - whole * 1000)}`;
};

/** Formats an integer from 0 to 999 with three digits. */
const thousandths = (value: number): string =>
  value > 99 ? `${value}` : value > 9 ? `0${value}` : `00${value}`;
