/** Type of a value after a JSON round trip. Later steps always get the stored output, in the same process as well. */
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
