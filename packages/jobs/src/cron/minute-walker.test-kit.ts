// A simple model of cron that tests every minute. It shares no code with the implementation.
const MINUTE = 60_000;

/** Local times at each minute of a span. */
export interface WalkedMinute {
  readonly instant: number;
  /** Local time in milliseconds, as if it were UTC. */
  readonly wall: number;
}

/** Returns the local time of a zone at every minute. Reads the offset once per hour, and at each minute of an hour in which it changes. */
export const walk = (zone: string, from: number, minutes: number): readonly WalkedMinute[] => {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const offsetAt = (instant: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    ) as Record<string, number>;
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute) - instant;
  };
  const walked: WalkedMinute[] = [];
  let offset = offsetAt(from);
  for (let hour = 0; hour < minutes; hour += 60) {
    const next = offsetAt(from + (hour + 60) * MINUTE);
    for (let at = hour; at < Math.min(hour + 60, minutes); at++) {
      const instant = from + at * MINUTE;
      walked.push({ instant, wall: instant + (next === offset ? offset : offsetAt(instant)) });
    }
    offset = next;
  }
  return walked;
};

/** The values of each field, in the order of an expression; `null` for a field that begins with `*`, regardless of its step. */
export interface FieldValues {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[] | null;
  readonly months: readonly number[];
  readonly weekdays: readonly number[] | null;
}

const matches = ({ minutes, hours, days, months, weekdays }: FieldValues, wall: number): boolean => {
  if (!minutes.includes((wall / MINUTE) % 60)) return false; // first, because it is cheap and excludes most minutes
  const date = new Date(wall);
  if (!hours.includes(date.getUTCHours())) return false;
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const byDay = days?.includes(date.getUTCDate()) ?? true;
  const byWeekday = weekdays?.includes(date.getUTCDay()) ?? true;
  return days !== null && weekdays !== null ? byDay || byWeekday : byDay && byWeekday;
};

/** Returns the instants of all runs after the first minute, by the rules of the README. */
export const runsByWalking = (values: FieldValues, walked: readonly WalkedMinute[]): readonly number[] => {
  const isEveryHour = values.hours.length === 24;
  const runs: number[] = [];
  let latest = walked[0]?.wall ?? 0;
  for (const { instant, wall } of walked.slice(1)) {
    let runsNow = matches(values, wall) && (isEveryHour || wall > latest);
    if (!isEveryHour)
      for (let skipped = latest + MINUTE; skipped < wall; skipped += MINUTE)
        runsNow ||= matches(values, skipped);
    if (runsNow) runs.push(instant);
    latest = Math.max(latest, wall);
  }
  return runs;
};
