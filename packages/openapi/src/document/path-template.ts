/** A route's path in OpenAPI notation. */
export interface PathTemplate {
  /** The path with parameters in braces: `/files/{path}`, also for a wildcard. */
  readonly path: string;
  /** The path without names; OpenAPI allows each shape only once. */
  readonly shape: string;
  readonly params: readonly TemplateParam[];
}

/** A parameter of a path. */
export interface TemplateParam {
  readonly name: string;
  /** Whether it matches the rest of the path, including slashes. */
  readonly isWildcard: boolean;
}

const PARAMETER = /\{(\*?)(\w+)\}/g;

/** Parses a pattern such as `/books/{id}` or `/files/{*path}`. */
export const pathTemplate = (pattern: string): PathTemplate => ({
  path: pattern.replaceAll(PARAMETER, "{$2}"),
  shape: pattern.replaceAll(PARAMETER, "{}"),
  params: Array.from(pattern.matchAll(PARAMETER), ([, star, name = ""]) => ({
    name,
    isWildcard: star === "*",
  })),
});
