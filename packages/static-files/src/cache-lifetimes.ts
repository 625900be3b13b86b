import type { StaticFilesConfig } from "./static-files-config.ts";

/** The `Cache-Control` of a file name: from its extension, else `cacheControl`, else `max-age` with `cacheMaxAge`. */
export const cacheControlOf = ({
  cacheControl,
  cacheMaxAge,
  extensions,
}: StaticFilesConfig): ((name: string) => string) => {
  const byExtension = new Map(
    Object.entries(extensions).map(([extension, secs]) => [
      extension.replace(/^\./, "").toLowerCase(),
      `max-age=${secs}`,
    ]),
  );
  const others = cacheControl ?? `max-age=${cacheMaxAge}`;
  return (name) => byExtension.get(extensionOf(name)) ?? others;
};

/** Returns the extension of a name in lower case; empty if it has no dot. */
const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
};
