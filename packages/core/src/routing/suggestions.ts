import { nearest } from "../errors/nearest.ts";

const MAX_ROUTES = 500;
const MAX_LENGTH = 128;

/**
 * Returns the routes nearest to an unmatched path: at most three, one per corrected path, if possible with the request's
 * method. Considers the first 500 routes, and paths of up to 128 characters.
 *
 * @param routes lines such as `GET /books/{id}`
 */
export const suggestions = (method: string, path: string, routes: readonly string[]): string[] => {
  if (path.length > MAX_LENGTH) return [];
  const lines = new Map<string, string>();
  for (const line of routes.slice(0, MAX_ROUTES)) {
    const corrected = correctedPath(line.slice(line.indexOf(" ") + 1), path);
    if (corrected === null) continue;
    if (!lines.has(corrected) || line.startsWith(`${method} `)) lines.set(corrected, line);
  }
  return nearest(path, [...lines.keys()]).flatMap((corrected) => lines.get(corrected) ?? []);
};

/** Returns the path corrected to match this pattern; `null` if a segment of the path differs too much from the pattern. */
const correctedPath = (pattern: string, path: string): string | null => {
  const given = words(path);
  const wanted = words(pattern);
  const isOpen = wanted.at(-1)?.startsWith("{*") === true;
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return null;
  const corrected = given.map((word, index) => {
    const want = wanted[index] ?? "{*}";
    return want.startsWith("{") ? word : isNear(word, want) ? want : null;
  });
  if (corrected.includes(null)) return null;
  return `/${corrected.join("/")}${pattern.endsWith("/") && corrected.length > 0 ? "/" : ""}`;
};

const words = (path: string): string[] => path.split("/").filter((word) => word !== "");

const isNear = (word: string, want: string): boolean => word === want || nearest(word, [want]).length > 0;
