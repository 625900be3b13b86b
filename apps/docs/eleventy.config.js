import { configure } from "./src/build/configure.ts";

/** The pages come from the repository, so there is no folder of templates but the layout's. */
export default async (eleventy) => {
  await configure(eleventy);
  return {
    dir: { input: "theme", includes: "_includes", output: "dist" },
    htmlTemplateEngine: false,
    markdownTemplateEngine: false,
  };
};
