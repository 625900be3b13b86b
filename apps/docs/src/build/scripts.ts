import { join } from "node:path";
import { rolldown } from "rolldown";

const browser = join(import.meta.dirname, "../browser");

/** Returns the scripts of the pages by file name: the theme is set before the page is drawn, the search is loaded afterwards. */
export const bundleScripts = async (): Promise<ReadonlyMap<string, string>> => {
  const scripts = await Promise.all(
    ["theme", "search"].map(async (name) => {
      await using bundle = await rolldown({ input: join(browser, `${name}.ts`), platform: "browser" });
      const { output } = await bundle.generate({ format: "iife", minify: true });
      return [`${name}.js`, output[0].code] as const;
    }),
  );
  return new Map(scripts);
};
