const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const time = String.raw`(\d\d):(\d\d):(\d\d)`;
const imf = new RegExp(String.raw`^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) ${time} GMT$`);
const rfc850 = new RegExp(String.raw`^[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) ${time} GMT$`);
const asctime = new RegExp(String.raw`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) ${time} (\d{4})$`);

/**
 * Returns the Unix milliseconds of an HTTP date in one of its three forms (RFC 9110 5.6.7); `null` for anything else.
 *
 * @param now reference for two-digit years: a year more than 50 years ahead is in the past
 */
export const parseHttpDate = (text: string, now: number = Date.now()): number | null => {
  const modern = imf.exec(text);
  if (modern !== null) {
    const [, day, month, year, ...clock] = modern;
    return toTimestamp(Number(year), month, day, clock);
  }
  const dashed = rfc850.exec(text);
  if (dashed !== null) {
    const [, day, month, year, ...clock] = dashed;
    return toTimestamp(fullYear(Number(year), now), month, day, clock);
  }
  const old = asctime.exec(text);
  if (old === null) return null;
  const [, month, day, hour, minute, second, year] = old;
  return toTimestamp(Number(year), month, day, [hour, minute, second]);
};

/** Formats Unix milliseconds as an HTTP date, in whole seconds. */
export const formatHttpDate = (ms: number): string => new Date(ms).toUTCString();

const fullYear = (short: number, now: number): number => {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + short;
  return year > thisYear + 50 ? year - 100 : year;
};

const toTimestamp = (
  year: number,
  month: string | undefined,
  day: string | undefined,
  clock: readonly (string | undefined)[],
): number | null => {
  const at = months.indexOf(month ?? "");
  const [hour = 0, minute = 0, second = 0] = clock.map(Number);
  const real = new Date(0);
  real.setUTCFullYear(year, at, Number(day)); // `Date.UTC` would treat the years 0 to 99 as 1900 to 1999
  real.setUTCHours(hour, minute, Math.min(second, 59)); // a leap second counts as the second before it
  const isReal = real.getUTCDate() === Number(day) && hour < 24 && minute < 60 && second <= 60;
  return at === -1 || !isReal ? null : real.getTime();
};
