import { slugger } from "./heading-slug.ts";
import type { SitePage } from "./site-page.ts";

/** A paragraph of a page that names an error code. */
export interface Mention {
  readonly page: SitePage;
  /** Heading above the paragraph, and the fragment of that heading's address; both empty above the first heading. */
  readonly heading: string;
  readonly slug: string;
  readonly text: string;
}

/** Maximum number of mentions shown for one code. */
const MAX_MENTIONS = 8;

/** Finds the paragraphs and list items that name error codes. Tables and code are excluded: a table of codes repeats the page of the code. */
export const mentionsOf = (
  codes: readonly string[],
  pages: readonly SitePage[],
): ReadonlyMap<string, readonly Mention[]> => {
  const found = new Map<string, Mention[]>(codes.map((code) => [code, []]));
  for (const page of pages) {
    for (const mention of paragraphsOf(page)) {
      for (const code of new Set(mention.text.match(/(?<![A-Z0-9_])[A-Z][A-Z0-9]*_[A-Z_]+(?![A-Z0-9_])/g))) {
        const list = found.get(code);
        if (list !== undefined && list.length < MAX_MENTIONS) list.push(mention);
      }
    }
  }
  return found;
};

const paragraphsOf = (page: SitePage): Mention[] => {
  const slugOf = slugger();
  let [heading, slug, isTitle] = ["", "", true];
  return withoutFences(page.markdown)
    .split(/\n{2,}/)
    .flatMap((block) => {
      const [, title] = /^#+ (.+)$/m.exec(block) ?? [];
      if (title !== undefined) {
        const text = title.replaceAll("`", "");
        const own = slugOf(text);
        if (!isTitle) [heading, slug] = [text, own];
        isTitle = false;
        return [];
      }
      if (block.trimStart().startsWith("|")) return [];
      return itemsOf(block).map((text) => ({ page, heading, slug, text: withoutLinks(text) }));
    });
};

/** Splits a list into its items; any other block is kept whole. */
const itemsOf = (block: string): string[] =>
  /^\s*[-*] /.test(block) ? block.split(/\n(?=[-*] )/).map((item) => item.replace(/^[-*] /, "")) : [block];

const withoutFences = (markdown: string): string => markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");

/** Removes links: the paragraph is quoted on another page, where relative links would be wrong. */
const withoutLinks = (text: string): string => text.trim().replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
