/** A value as JSON gives it back: what later steps see of an output, whether or not the process was replaced meanwhile. */
export type Stored<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends void
      ? undefined
      : T extends { toJSON(): infer J }
        ? Stored<J>
        : T extends bigint | symbol | ((...parameters: never) => unknown)
          ? never
          : { [K in keyof T]: Stored<T[K]> };
