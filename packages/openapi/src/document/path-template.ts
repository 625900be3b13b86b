/** A route's path as the document writes it. */
export interface PathTemplate {
  /** With a name in each pair of braces: `/files/{path}`, also for a wildcard. */
  readonly path: string;
  /** The path without names: equal for paths that a document must not list twice. */
  readonly shape: string;
  readonly params: readonly TemplateParam[];
}

export interface TemplateParam {
  readonly name: string;
  /** Whether it takes the rest of the path, slashes included. */
  readonly takesRest: boolean;
}

const PARAMETER = /\{(\*?)(\w+)\}/g;

/** Reads a pattern such as `/books/{id}` or `/files/{*path}`. */
export const pathTemplate = (pattern: string): PathTemplate => ({
  path: pattern.replaceAll(PARAMETER, "{$2}"),
  shape: pattern.replaceAll(PARAMETER, "{}"),
  params: Array.from(pattern.matchAll(PARAMETER), ([, star, name = ""]) => ({
    name,
    takesRest: star === "*",
  })),
});
