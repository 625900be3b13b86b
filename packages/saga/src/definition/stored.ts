/** Type of a value after a JSON round trip. Steps always get the stored input and outputs, in the same process as well. */
export type StoredOutput<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends void
      ? undefined
      : T extends { toJSON(): infer J }
        ? StoredOutput<J>
        : T extends bigint | symbol | ((...parameters: never) => unknown)
          ? never
          : { [K in keyof T]: StoredOutput<T[K]> };
