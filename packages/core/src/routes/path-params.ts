/**
 * The path parameters of a pattern, as strings: `/books/{id}` becomes `{ readonly id: string }`, `{*rest}` becomes `rest`.
 *
 * A path of type `string` becomes a record with any names. A path that starts or ends with such text, as in the routes of a `Blueprint<string>`, has any
 * names beside those known.
 */
export type PathParams<Path extends string> = Path extends `/${string}{${infer Rest}`
  ? WithAnyNames<Rest, { readonly [Name in ParamName<Rest>]: string }>
  : Path extends `${string}{${infer Rest}`
    ? WithAnyNames<Path, { readonly [Name in ParamName<Rest>]: string }>
    : WithAnyNames<Path, {}>;

/** Adds a record with any names where the text has a part of type `string`: a mapped type of such text needs no member. */
type WithAnyNames<Text extends string, Known> = {} extends { [_ in Text]: 1 }
  ? Known & Readonly<Record<string, string>>
  : Known;

/** Starts after a `{`: the remaining text is often equal across paths, so the compiler instantiates fewer types. */
type ParamName<Rest extends string> = Rest extends `${infer Name}}${infer More}`
  ?
      | (Name extends `*${infer Wildcard}` ? Wildcard : Name)
      | (More extends `${string}{${infer Next}` ? ParamName<Next> : never)
  : never;
