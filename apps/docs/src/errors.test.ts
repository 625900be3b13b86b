import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { builtPages, textOf } from "./built-site.test-kit.ts";
import { root } from "./repository/root.ts";

const pages = builtPages();

/** The codes in the sources of the packages. */
const codes = globSync("packages/*/src/**/error-codes.ts", { cwd: root }).flatMap((path) =>
  Array.from(
    readFileSync(join(root, path), "utf8").matchAll(/^ {2}([A-Z]+_[A-Z_]+): \{$([\s\S]*?)^ {2}\},$/gm),
    ([, code = "", entry = ""]) => ({ code, entry }),
  ),
);

test("every error code has a page with its cause and its remedy", () => {
  expect(codes.length).toBeGreaterThan(300);
  for (const { code, entry } of codes) {
    const text = textOf(pages.get(`errors/${code}/`) ?? "").toLowerCase();
    const sentences = Array.from(
      entry.matchAll(/(?:summary|action):\s+["'](.+)["'],$/gm),
      ([, sentence = ""]) => plain(sentence),
    );
    expect([code, sentences.length]).toEqual([code, 2]);
    for (const sentence of sentences) expect(text).toContain(sentence.toLowerCase());
  }
});

test("an error code in a page is a link to the page of that code", () => {
  const missing = Array.from(pages).flatMap(([url, html]) =>
    Array.from(html.matchAll(/(<a href="[^"]*">)?<code>([A-Z]+_[A-Z_]+)<\/code>/g))
      .filter(
        ([, link, code = ""]) =>
          link === undefined && pages.has(`errors/${code}/`) && url !== `errors/${code}/`,
      )
      .map(([, , code]) => `${url}: ${code}`),
  );
  expect(missing).toEqual([]);
});

test("a page quotes the paragraphs that name its code", () => {
  expect(textOf(pages.get("errors/CORE_ALREADY_STARTED/") ?? "")).toContain(
    "from then on nothing can be registered",
  );
});

/** Returns a sentence of the catalogue without Markdown and escapes. */
function plain(sentence: string): string {
  return sentence.replaceAll("`", "").replaceAll('\\"', '"');
}
