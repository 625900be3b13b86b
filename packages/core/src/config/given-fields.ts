/** The fields of a record that have a value. */
export type GivenFields<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Returns the fields of a record that are not `undefined`, which means not given: it must not replace a default. */
export const givenFields = <T extends object>(record: T): GivenFields<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as GivenFields<T>;
