import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { built, builtPages, builtSite } from "./built-site.test-kit.ts";
import { root } from "./repository/root.ts";

const pages = builtPages();

const attributes = (html: string): string[] =>
  Array.from(html.matchAll(/ (?:href|src)="([^"]*)"/g), ([, value = ""]) => value.replaceAll("&amp;", "&"));

test("every link within the site leads to a page and a heading that exist", () => {
  const fragments = new Map(
    Array.from(pages, ([url, html]) => [
      url,
      new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id)),
    ]),
  );
  const broken: string[] = [];
  for (const [url, html] of pages) {
    for (const link of new Set(attributes(html).filter((value) => !/^[a-z]+:/.test(value)))) {
      const { pathname, hash } = new URL(link, `http://site/${url}`);
      const path = decodeURIComponent(pathname).slice(1);
      const exists =
        path === "" || path.endsWith("/") ? pages.has(path) : existsSync(join(builtSite(), path));
      const isThere = hash === "" || (fragments.get(path)?.has(decodeURIComponent(hash.slice(1))) ?? false);
      if (!exists || !isThere) broken.push(`${url}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

test("no page has an inline script or style, or loads anything from another host", () => {
  for (const [url, html] of pages) {
    const inline = html.match(/<script(?![^>]* src=)|<style| style=| on[a-z]+="/g) ?? [];
    const loaded = Array.from(
      html.matchAll(/<(?:script|img|link)\b[^>]*(?:src|href)="([^"]+)"/g),
      ([, at]) => at,
    );
    expect([url, inline, loaded.filter((at) => /^(?:[a-z]+:|\/)/.test(at ?? ""))]).toEqual([url, [], []]);
  }
});

test("every README and page of every published package is a page of the site", () => {
  const documents = globSync("packages/*/{README.md,docs/*.md}", { cwd: root }).filter(
    (path) =>
      !/"private": true/.test(
        readFileSync(join(root, path.replace(/(README|docs\/.*)\.md$/, "package.json")), "utf8"),
      ),
  );
  const urls = documents.map((path) => path.replace(/README\.md$/, "").replace(/docs\/(.*)\.md$/, "$1/"));
  expect(urls.length).toBeGreaterThan(50);
  expect(urls.filter((url) => !pages.has(url))).toEqual([]);
});

test("guides are pages of the site, and pages for users of another framework show both services side by side", () => {
  const guides = globSync("docs/**/*.md", { cwd: root }).map(
    (path) => `${path.replace(/^docs\/|\.md$/g, "").replace("README", "guides")}/`,
  );
  expect(guides.length).toBeGreaterThan(20);
  expect(guides.filter((url) => !pages.has(url))).toEqual([]);
  for (const url of guides.filter((each) => each.startsWith("coming-from/"))) {
    const pairs = pages.get(url)?.split('<div class="pair">').slice(1) ?? [];
    expect(pairs.length).toBeGreaterThan(2);
    for (const pair of pairs) {
      const [block = ""] = pair.split("</div>");
      const files = Array.from(
        block.matchAll(/<figcaption><a href="[^"]+">([^<]+)</g),
        ([, file = ""]) => file,
      );
      expect([url, files.at(-1)]).toEqual([url, expect.stringContaining("src/framework/")]);
      expect(files[0]).not.toContain("src/framework/");
    }
  }
});

test("each page also exists as Markdown, and llms.txt lists the pages of the navigation", () => {
  const list = built("llms.txt");
  for (const url of pages.keys()) expect(built(`${url}index.md`)).toMatch(/^# /);
  const nav = Array.from(
    (/<nav aria-label="Pages">[\s\S]*?<\/nav>/.exec(built("index.html"))?.[0] ?? "").matchAll(
      /<li[^>]*><a href="([^"#]*)"/g,
    ),
    ([, href = ""]) => href,
  );
  expect(nav.length).toBeGreaterThan(90);
  for (const href of nav) expect(list).toContain(`(${href === "./" ? "" : href}index.md)`);
});

test("the comparison page shows the date of its benchmark run", () => {
  expect(pages.get("comparison/")).toMatch(/\b20\d\d-\d\d-\d\d, <code>pnpm bench --write<\/code>/);
});
