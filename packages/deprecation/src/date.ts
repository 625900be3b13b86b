const PATTERN = /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Returns the Unix milliseconds of a day (`2026-11-01`, its start in UTC) or a time (RFC 3339); `null` for any other text and for days that do not exist. */
export const parseDate = (text: unknown): number | null => {
  const [, year, month, day] = (typeof text === "string" && PATTERN.exec(text)) || [];
  if (year === undefined) return null;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) return null; // Date.parse rolls over
  const time = Date.parse(text as string);
  return Number.isNaN(time) ? null : time;
};
