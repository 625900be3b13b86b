import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCron } from "./cron-expression.ts";

const minutesAndHours = (text: string) => {
  const { minutes, hours } = parseCron(text);
  return [minutes, hours];
};

test("a field lists values, ranges and steps", () => {
  expect(minutesAndHours("5,1-3,*/20,50/4 9-17/4 * * *")).toEqual([
    [0, 1, 2, 3, 5, 20, 40, 50, 54, 58],
    [9, 13, 17],
  ]);
});

test("months and days of the week have names, and Sunday is 0 or 7", () => {
  const matches = (text: string, month: number, weekday: number) =>
    parseCron(text).matchesDay(month, 1, weekday);
  expect([matches("0 0 * JAN-mar *", 2, 3), matches("0 0 * JAN-mar *", 4, 3)]).toEqual([true, false]);
  expect([matches("0 0 * * mon-Fri", 1, 5), matches("0 0 * * mon-Fri", 1, 6)]).toEqual([true, false]);
  expect([matches("0 0 * * 7", 1, 0), matches("0 0 * * 0", 1, 0), matches("0 0 * * 5-7", 1, 0)]).toEqual([
    true,
    true,
    true,
  ]);
});

test("a day matches either of two restricted day fields, and both if one begins with a star", () => {
  const either = parseCron("0 0 13 * fri");
  expect([either.matchesDay(5, 13, 1), either.matchesDay(5, 14, 5), either.matchesDay(5, 14, 1)]).toEqual([
    true,
    true,
    false,
  ]);
  const both = parseCron("0 0 */2 * fri");
  expect([both.matchesDay(5, 1, 5), both.matchesDay(5, 2, 5), both.matchesDay(5, 1, 4)]).toEqual([
    true,
    false,
    false,
  ]);
});

/** Returns the matching days, each as month, day of the month and day of the week. */
const matchingDays = (text: string): readonly string[] => {
  const cron = parseCron(text);
  const days: string[] = [];
  for (let month = 1; month <= 12; month++)
    for (let day = 1; day <= 31; day++)
      for (let weekday = 0; weekday < 7; weekday++)
        if (cron.matchesDay(month, day, weekday)) days.push(`${month} ${day} ${weekday}`);
  return days;
};

test.each([
  ["@Hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
])("the macro %s equals %s", (macro, expression) => {
  expect([minutesAndHours(macro), matchingDays(macro)]).toEqual([
    minutesAndHours(expression),
    matchingDays(expression),
  ]);
});

test.each([
  ["* * * *", '"* * * *" must have 5 fields, not 4, or be a name such as @daily'],
  ["0 0 0 * * *", "must have 5 fields, not 6"],
  ["@reboot", "must have 5 fields, not 1"],
  ["60 * * * *", 'the minute "60" must be 0 to 59'],
  ["* * * foo *", 'the month "foo" must be 1 to 12 or jan to dec'],
  ["* * 0 * *", 'the day of the month "0" must be 1 to 31'],
  ["* 5-2 * * *", 'the range of the hour "5-2" ends before it begins'],
  ["*/0 * * * *", 'the step of the minute "*/0" is 0'],
  ["1,,2 * * * *", 'the minute "" must be *'],
  ["* * L * *", 'the day of the month "L" must be'],
  ["? * * * *", 'the minute "?" must be *'],
])("%s is refused", (text, message) => {
  expect(() => parseCron(text)).toThrow(message);
});

/** Result of parsing a text: its number of times a day, or the message. */
const outcome = (text: string): number | string => {
  try {
    const { minutes, hours } = parseCron(text);
    return minutes.length * hours.length;
  } catch (error) {
    return Error.isError(error) ? error.message : "";
  }
};

test("any text is parsed or refused with a message", () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[-*/,0-9a-z ]{0,30}$/));
  fc.assert(
    fc.property(texts, (text) => {
      const result = outcome(text);
      const isValid = typeof result === "number" ? result > 0 : /field|minute|hour|day|month/.test(result);
      expect(isValid).toBe(true);
    }),
  );
});
