import { join } from "node:path";
import { relativeUrl } from "../markdown/page-links.ts";
import { root } from "../repository/root.ts";
import type { SitePage } from "../pages/site-page.ts";
import { searchIndex } from "../search/search-index.ts";
import { llmsText } from "./llms-text.ts";
import { navigation } from "./navigation.ts";
import { readSite } from "./read-site.ts";
import { bundleScripts } from "./scripts.ts";

/** The part of Eleventy's configuration that the site uses. */
export interface EleventyConfig {
  addTemplate(path: string, content: string, data: Readonly<Record<string, unknown>>): void;
  addPassthroughCopy(files: Readonly<Record<string, string>>): void;
  setQuietMode(quiet: boolean): void;
}

/** Adds the pages of the site to Eleventy: each as HTML in the layout, and as its Markdown source. */
export const configure = async (eleventy: EleventyConfig): Promise<void> => {
  const site = await readSite(root);
  const rendered = site.pages.map((page) => ({ page, ...site.render(page) }));
  for (const { page, html, sections } of rendered) {
    const file = fileOf(page);
    eleventy.addTemplate(`${file}.html`, html, {
      layout: "page.njk",
      permalink: `${page.url}index.html`,
      title: page.title,
      url: page.url,
      base: relativeUrl(page.url, "/"),
      source: page.source,
      groups: navigation(site.pages, page),
      contents: sections.filter(({ level }) => level === 2 || level === 3),
    });
    addFile(eleventy, `${page.url}index.md`, page.markdown);
  }
  addFile(eleventy, "/llms.txt", llmsText(site.pages));
  addFile(eleventy, "/search.json", searchIndex(rendered));
  for (const [name, code] of await bundleScripts()) addFile(eleventy, `/${name}`, code);
  eleventy.addPassthroughCopy(
    Object.fromEntries(Array.from(site.images, ([path, url]) => [join("../..", path), url.slice(1)])),
  );
  eleventy.addPassthroughCopy({ "theme/site.css": "site.css", "theme/icon.svg": "icon.svg" });
  eleventy.setQuietMode(true);
};

const fileOf = ({ url }: SitePage): string => `pages${url}index`;

/** Adds a file that is written unchanged. */
const addFile = (eleventy: EleventyConfig, permalink: string, content: string): void =>
  eleventy.addTemplate(`texts${permalink}.html`, content, { permalink });
