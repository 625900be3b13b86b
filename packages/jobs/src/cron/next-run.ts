import type { CronExpression } from "./cron-expression.ts";
import type { TimeZone } from "./time-zone.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Maximum number of days searched: a February 29 on a given day of the week is at most 40 years away. */
const MAX_DAYS = 15_000;

/**
 * Returns the first run after an instant; `null` if the expression never matches.
 *
 * When the zone's offset changes, an expression with specific hours runs once for each of its wall times: at the first occurrence of a repeated time, and at
 * the end of the gap for all skipped times together. An expression that matches every hour runs whenever the wall clock shows one of its times.
 */
export const nextRun = (cron: CronExpression, zone: TimeZone, after: number): number | null =>
  cron.isEveryHour ? nextByElapsedTime(cron, zone, after) : nextByWallTime(cron, zone, after);

/** Returns the last run after `after` and up to `until`; `null` if there is none. */
export const lastRun = (
  cron: CronExpression,
  zone: TimeZone,
  after: number,
  until: number,
): number | null => {
  let last = nextRun(cron, zone, after);
  if (last === null || last > until) return null;
  let high = until;
  while (high - last >= MINUTE) {
    const middle = Math.floor((last + high) / 2);
    const next = nextRun(cron, zone, middle);
    if (next === null || next > until) high = middle;
    else last = next;
  }
  return last;
};

/** Instants ascend with wall times, so the first one after `after` is the next. */
const nextByWallTime = (cron: CronExpression, zone: TimeZone, after: number): number | null => {
  let from = minuteAfter(after + zone.offsetAt(after));
  for (;;) {
    const wall = nextWallTime(cron, from);
    if (wall === null) return null;
    const instant = zone.instantOf(wall);
    if (instant > after) return instant;
    from = wall + MINUTE;
  }
};

/** Searches between changes of the offset, where instants and wall times correspond one to one. */
const nextByElapsedTime = (cron: CronExpression, zone: TimeZone, after: number): number | null => {
  let from = minuteAfter(after);
  for (;;) {
    const offset = zone.offsetAt(from);
    const wall = nextWallTime(cron, from + offset);
    if (wall === null) return null;
    const instant = wall - offset;
    const change = zone.transition(from, Math.min(instant, from + DAY));
    if (change !== null) from = Math.ceil(change / MINUTE) * MINUTE;
    else if (instant <= from + DAY) return instant;
    else from = Math.max(from + DAY, instant - DAY); // there are no matches until then
  }
};

const minuteAfter = (time: number): number => (Math.floor(time / MINUTE) + 1) * MINUTE;

/** Returns the first matching wall time at or after `from`. */
const nextWallTime = ({ matchesDay, hours, minutes }: CronExpression, from: number): number | null => {
  const first = Math.floor(from / DAY);
  for (let day = first; day < first + MAX_DAYS; day++) {
    const date = new Date(day * DAY);
    if (!matchesDay(date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay())) continue;
    for (const hour of hours) {
      for (const minute of minutes) {
        const wall = day * DAY + hour * HOUR + minute * MINUTE;
        if (wall >= from) return wall;
      }
    }
  }
  return null;
};
