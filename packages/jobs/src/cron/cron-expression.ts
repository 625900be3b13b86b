import { type CronField, parseField } from "./cron-field.ts";

/** A parsed cron expression. */
export interface CronExpression {
  /** Minutes of the hour, ascending. */
  readonly minutes: readonly number[];
  /** Hours of the day, ascending. */
  readonly hours: readonly number[];
  /** Whether it matches every hour: then its runs follow elapsed time when the zone's offset changes. */
  readonly isEveryHour: boolean;
  /** Whether it matches a day. @param month 1 to 12 @param weekday 0 (Sunday) to 6 */
  matchesDay(month: number, day: number, weekday: number): boolean;
}

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields: readonly CronField[] = [
  { name: "minute", min: 0, max: 59, names: [] },
  { name: "hour", min: 0, max: 23, names: [] },
  { name: "day of the month", min: 1, max: 31, names: [] },
  { name: "month", min: 1, max: 12, names: monthNames },
  { name: "day of the week", min: 0, max: 7, names: weekdayNames },
];

const HOURS_PER_DAY = 24;

/**
 * Parses a cron expression: minute, hour, day of the month, month and day of the week, each `*`, a number, a name of three letters, a range, a step or a list
 * of these; or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`. Sunday is 0 or 7.
 *
 * As in POSIX, if neither day field begins with `*`, a day need only match one of them.
 *
 * @throws Error whose message describes the mistake
 */
export const parseCron = (text: string): CronExpression => {
  const expanded = macros.get(text.trim().toLowerCase()) ?? text;
  const texts = expanded.trim().split(/\s+/);
  if (texts.length !== fields.length)
    throw new Error(`"${text}" must have 5 fields, not ${texts.length}, or be a name such as @daily`);
  const [minutes, hours, days, months, weekdays] = fields.map((field, at) =>
    parseField(field, texts[at] ?? ""),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  if (weekdays.has(7)) weekdays.add(0);
  const isOneDayFieldEnough = !texts[2]?.startsWith("*") && !texts[4]?.startsWith("*");
  return {
    minutes: sortAscending(minutes),
    hours: sortAscending(hours),
    isEveryHour: hours.size === HOURS_PER_DAY,
    matchesDay(month, day, weekday) {
      if (!months.has(month)) return false;
      const [byDay, byWeekday] = [days.has(day), weekdays.has(weekday)];
      return isOneDayFieldEnough ? byDay || byWeekday : byDay && byWeekday;
    },
  };
};

const sortAscending = (numbers: ReadonlySet<number>): readonly number[] =>
  Array.from(numbers).sort((a, b) => a - b);
