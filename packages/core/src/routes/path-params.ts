/**
 * The path parameters of a pattern, as strings: `/books/{id}` becomes `{ readonly id: string }`, `{*rest}` becomes `rest`.
 *
 * A path of type `string` becomes a record with any names. A path that starts or ends with a part of type `string`, as in the routes of a `Blueprint<string>`,
 * has any names in addition to its known names.
 */
export type PathParams<Path extends string> = Path extends `/${string}{${infer Rest}`
  ? WithAnyNames<Rest, { readonly [Name in ParamName<Rest>]: string }>
  : Path extends `${string}{${infer Rest}`
    ? WithAnyNames<Path, { readonly [Name in ParamName<Rest>]: string }>
    : WithAnyNames<Path, {}>;

/** Adds a record with any names if the text has a part of type `string`: only then does a type mapped over the text have no required member. */
type WithAnyNames<Text extends string, Known> = {} extends { [_ in Text]: 1 }
  ? Known & Readonly<Record<string, string>>
  : Known;

/** Parses the text after a `{`: it is often equal across paths, so the compiler instantiates fewer types. */
type ParamName<Rest extends string> = Rest extends `${infer Name}}${infer More}`
  ?
      | (Name extends `*${infer Wildcard}` ? Wildcard : Name)
      | (More extends `${string}{${infer Next}` ? ParamName<Next> : never)
  : never;
