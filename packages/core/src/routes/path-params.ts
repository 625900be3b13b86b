/**
 * The path parameters of a pattern, as strings: `/books/{id}` gives `{ readonly id: string }`, `{*rest}` gives `rest`.
 *
 * A path that is only known as `string` gives a record of any names.
 */
export type PathParams<Path extends string> = Path extends `${string}{${infer Rest}`
  ? { readonly [Name in ParamName<Rest>]: string }
  : string extends Path
    ? Readonly<Record<string, string>>
    : {};

/** Starts behind a `{`, where most paths look alike, so that the compiler works out few of them. */
type ParamName<Rest extends string> = Rest extends `${infer Name}}${infer More}`
  ?
      | (Name extends `*${infer Wildcard}` ? Wildcard : Name)
      | (More extends `${string}{${infer Next}` ? ParamName<Next> : never)
  : never;
