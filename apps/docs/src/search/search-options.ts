import type { Options } from "minisearch";

/** A section of a page, as stored in the search index. */
export interface SearchEntry {
  /** Address without the leading slash, with its fragment. */
  readonly url: string;
  readonly page: string;
  /** Empty for the section of the page's title. */
  readonly heading: string;
  readonly text: string;
}

/** Fields of the index, which the build writes and the browser reads. Names in camel case and codes are also found by their parts. */
export const searchOptions: Options<SearchEntry> = {
  idField: "url",
  fields: ["page", "heading", "text"],
  storeFields: ["page", "heading"],
  tokenize: (text) => text.split(/[\s\p{Z}\p{P}=+<>|`$^~]+/u).flatMap(partsOf),
  searchOptions: {
    boost: { page: 4, heading: 3 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
    boostDocument: (id) => weightOf(String(id)),
  },
};

/** Returns the weight of a result: guides rank before names of the API, and names before their members. */
const weightOf = (url: string): number => {
  if (url.startsWith("guides/") || url.startsWith("coming-from/")) return 4;
  if (url.startsWith("errors/")) return 1.5;
  if (!url.startsWith("api/")) return 3;
  return url.includes(".") ? 0.4 : 0.8;
};

const partsOf = (word: string): string[] => {
  const parts = word.split(/_|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== "");
  return parts.length > 1 ? [word, ...parts] : [word];
};
