import { nearest } from "../errors/nearest.ts";

const MAX_ROUTES = 500;
const MAX_LENGTH = 128;

/**
 * Returns the routes nearest to an unmatched path: at most three, one per corrected path, with the request's own method
 * where a route for that path has it. Considers the first 500 routes, and paths of up to 128 characters.
 *
 * @param routes lines such as `GET /books/{id}`
 */
export const suggestions = (method: string, path: string, routes: readonly string[]): string[] => {
  if (path.length > MAX_LENGTH) return [];
  const lines = new Map<string, string>();
  for (const line of routes.slice(0, MAX_ROUTES)) {
    const meant = meantPath(line.slice(line.indexOf(" ") + 1), path);
    if (meant === null) continue;
    if (!lines.has(meant) || line.startsWith(`${method} `)) lines.set(meant, line);
  }
  return nearest(path, [...lines.keys()]).flatMap((meant) => lines.get(meant) ?? []);
};

/** Returns the path corrected to match this pattern, `null` when one of its words differs too much. */
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
