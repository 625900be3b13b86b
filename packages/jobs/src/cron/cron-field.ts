/** One of the five fields of a cron expression. */
export interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of its values in lower case, starting at `min`. */
  readonly names: readonly string[];
}

/** Returns the values that a field matches. @throws Error whose message describes the mistake */
export const parseField = (field: CronField, text: string): Set<number> => {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const { first, last, step } = parsePart(field, part);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return values;
};

interface Part {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

const PART = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d{1,4}))?$/;

const parsePart = (field: CronField, part: string): Part => {
  const { name, min, max } = field;
  const match = PART.exec(part);
  if (match === null)
    throw new Error(`the ${name} "${part}" must be *, a value or a range a-b, optionally with /step`);
  const [, from, to, by] = match;
  const step = by === undefined ? 1 : Number(by);
  const first = from === undefined ? min : valueOf(field, from);
  const isOne = from !== undefined && to === undefined && by === undefined;
  const last = to === undefined ? (isOne ? first : max) : valueOf(field, to);
  if (step === 0) throw new Error(`the step of the ${name} "${part}" is 0`);
  if (first > last) throw new Error(`the range of the ${name} "${part}" ends before it begins`);
  return { first, last, step };
};

const valueOf = ({ name, min, max, names }: CronField, text: string): number => {
  const named = names.indexOf(text.toLowerCase());
  const value = named === -1 ? (/^\d{1,4}$/.test(text) ? Number(text) : NaN) : named + min;
  if (value >= min && value <= max) return value;
  throw new Error(
    `the ${name} "${text}" must be ${min} to ${max}${names.length > 0 ? ` or ${names[0]} to ${names.at(-1)}` : ""}`,
  );
};
