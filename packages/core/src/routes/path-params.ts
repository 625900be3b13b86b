/**
 * The path parameters of a pattern, as strings: `/books/{id}` becomes `{ readonly id: string }`, `{*rest}` becomes `rest`.
 *
 * A path of type `string` becomes a record with any names.
 */
export type PathParams<Path extends string> = Path extends `${string}{${infer Rest}`
  ? { readonly [Name in ParamName<Rest>]: string }
  : string extends Path
    ? Readonly<Record<string, string>>
    : {};

/** Starts after a `{`: the remaining text is often equal across paths, so the compiler instantiates fewer types. */
type ParamName<Rest extends string> = Rest extends `${infer Name}}${infer More}`
  ?
      | (Name extends `*${infer Wildcard}` ? Wildcard : Name)
      | (More extends `${string}{${infer Next}` ? ParamName<Next> : never)
  : never;
