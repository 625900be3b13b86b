import { expect, test } from "@jest/globals";
import MiniSearch from "minisearch";
import { built } from "../built-site.test-kit.ts";
import { searchOptions } from "./search-options.ts";

const index = MiniSearch.loadJSON(built("search.json"), searchOptions);
const search = (words: string): string[] => index.search(words).map(({ id }) => String(id));

test.each([
  ["CORE_ALREADY_STARTED", "errors/CORE_ALREADY_STARTED/"],
  ["already started", "errors/CORE_ALREADY_STARTED/"],
  ["enableCaching", "api/cache/#Caching.enableCaching"],
  ["server-sent events", "guides/real-time/"],
  ["deploy", "guides/deploy/"],
  ["upload a file", "guides/uploads/"],
  ["undo steps", "guides/sagas/"],
  ["express", "coming-from/express/"],
  ["dead letters", "packages/messaging/"],
  ["JWT", "packages/auth/"],
  ["drain SIGTERM", "packages/core/running/"],
])("%s finds %s", (words, url) => {
  expect(search(words).slice(0, 10).join(" ")).toContain(url);
});

test("a misspelt word finds the correct one, and an unknown word finds nothing", () => {
  expect(search("compresion").slice(0, 5).join(" ")).toContain("packages/compression/");
  expect(search("zyxwvut")).toEqual([]);
});
