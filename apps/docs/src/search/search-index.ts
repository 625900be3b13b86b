import MiniSearch from "minisearch";
import type { RenderedPage } from "../markdown/render-page.ts";
import type { SitePage } from "../pages/site-page.ts";
import { type SearchEntry, searchOptions } from "./search-options.ts";

/** Returns the index of all sections of all pages, as JSON. */
export const searchIndex = (pages: readonly (RenderedPage & { readonly page: SitePage })[]): string => {
  const index = new MiniSearch<SearchEntry>(searchOptions);
  index.addAll(pages.flatMap(({ page, sections }) => entriesOf(page, sections)));
  return JSON.stringify(index);
};

/** Returns an entry for each section. The page of an error code is a single entry, because all such pages have the same headings. */
const entriesOf = (page: SitePage, sections: RenderedPage["sections"]): SearchEntry[] => {
  const [title] = sections;
  return page.section === "Errors" && !page.isListed && title !== undefined
    ? [entryOf(page, { ...title, text: sections.map(({ text }) => text).join(" ") }, 0)]
    : sections.map((section, at) => entryOf(page, section, at));
};

const entryOf = (page: SitePage, section: RenderedPage["sections"][number], at: number): SearchEntry => ({
  url: `${page.url.slice(1)}${at === 0 ? "" : `#${section.slug}`}`,
  page: page.title,
  heading: at === 0 ? "" : section.heading,
  text: page.section === "API" && at > 0 ? "" : section.text, // members are found by name: indexing their texts would double the index
});
