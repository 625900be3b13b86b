import { nearest } from "../errors/nearest.ts";

const maxRoutes = 500;
const maxLength = 128;

/**
 * The routes that a path without a route may have meant, nearest first: at most three, one a pattern, with the request's own method
 * where the pattern has it. Looks at the first 500 routes, and at no path over 128 characters.
 *
 * @param routes lines such as `GET /books/{id}`
 */
export const suggestions = (method: string, path: string, routes: readonly string[]): string[] => {
  if (path.length > maxLength) return [];
  const lines = new Map<string, string>();
  for (const line of routes.slice(0, maxRoutes)) {
    const meant = meantPath(line.slice(line.indexOf(" ") + 1), path);
    if (meant === null) continue;
    if (!lines.has(meant) || line.startsWith(`${method} `)) lines.set(meant, line);
  }
  return nearest(path, [...lines.keys()]).flatMap((meant) => lines.get(meant) ?? []);
};

/** The path as it would have had to be for this pattern, `null` when one of its words is too far from what was asked. */
const meantPath = (pattern: string, path: string): string | null => {
  const given = words(path);
  const wanted = words(pattern);
  const isOpen = wanted.at(-1)?.startsWith("{*") === true;
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return null;
  const meant = given.map((word, index) => {
    const want = wanted[index] ?? "{*}";
    return want.startsWith("{") ? word : isNear(word, want) ? want : null;
  });
  if (meant.includes(null)) return null;
  return `/${meant.join("/")}${pattern.endsWith("/") && meant.length > 0 ? "/" : ""}`;
};

const words = (path: string): string[] => path.split("/").filter((word) => word !== "");

const isNear = (word: string, want: string): boolean => word === want || nearest(word, [want]).length > 0;
