import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const dist = join(import.meta.dirname, "../dist");

/** Returns the path of the built site, built by `pnpm turbo run build --filter=@framework/docs`. */
export const builtSite = (): string => {
  if (!existsSync(join(dist, "index.html")))
    throw new Error("build the site first: pnpm turbo run build --filter=@framework/docs");
  return dist;
};

/** Returns the text of a file of the built site. */
export const built = (path: string): string => readFileSync(join(builtSite(), path), "utf8");

/** Returns all pages by their address without the leading slash. */
export const builtPages = (): ReadonlyMap<string, string> =>
  new Map(
    globSync("**/index.html", { cwd: builtSite() })
      .map((path) => path.replaceAll("\\", "/"))
      .sort()
      .map((path) => [path.slice(0, -"index.html".length), built(path)]),
  );

/** Returns the text of HTML without its tags. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
