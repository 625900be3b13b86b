import { readFileSync } from "node:fs";
import { join } from "node:path";
import { socketClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

type Element = DefaultTreeAdapterTypes.Element;

const settings = booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" });
const css = readFileSync(join(import.meta.dirname, "../public/books.css"), "utf8");

const openPage = async (facts: (page: TestReply, get: (path: string) => Promise<TestReply>) => unknown) => {
  await using client = socketClient(createBooksApp(settings));
  await facts(await client.get("/"), (path) => client.get(path));
};

/** Returns the elements of a document, in document order. */
const elementsOf = (html: string): Element[] => {
  const below = (node: DefaultTreeAdapterTypes.Node): Element[] => [
    ...("tagName" in node ? [node] : []),
    ...("childNodes" in node ? node.childNodes.flatMap(below) : []),
  ];
  return below(parse(html));
};

const attribute = ({ attrs }: Element, name: string): string | null =>
  attrs.find((each) => each.name === name)?.value ?? null;

const all = (elements: readonly Element[], ...tags: string[]): Element[] =>
  elements.filter(({ tagName }) => tags.includes(tagName));

/** Returns the values of the attributes with one of these names. */
const values = (html: string, ...names: string[]): string[] =>
  elementsOf(html).flatMap(({ attrs }) =>
    attrs.filter(({ name }) => names.includes(name)).map(({ value }) => value),
  );

test("the service has a page at its root, with a title and a language", () =>
  openPage((page) => {
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const elements = elementsOf(page.text);
    expect(all(elements, "html").map((html) => attribute(html, "lang"))).toEqual(["en"]);
    expect(all(elements, "title", "h1", "main")).toHaveLength(3);
  }));

test("each link and each resource of the page is on the service and has a status below 400", () =>
  openPage(async (page, get) => {
    const linked = values(page.text, "href", "src");
    for (const path of ["/docs", "/health", "/metrics", "/static/books.css"]) expect(linked).toContain(path);
    for (const path of linked) expect([path, (await get(path)).status < 400]).toEqual([path, true]);
    for (const path of [...linked, ...values(page.text, "action")]) expect(path).toMatch(/^\/(?!\/)/);
  }));

test("nothing on the page is inline, so the content security policy allows all of it", () =>
  openPage((page) => {
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|http|script-src|style-src|connect-src/);
    const elements = elementsOf(page.text);
    const names = elements.flatMap(({ tagName, attrs }) => [tagName, ...attrs.map(({ name }) => name)]);
    const inline = names.filter((name) => /^(?:style|base|object|embed|iframe|on.*)$/.test(name));
    expect(inline).toEqual([]);
    const scripts = all(elements, "script").map((script) => [attribute(script, "src"), script.childNodes]);
    expect(scripts).toEqual([["/static/books.js", []]]);
    expect(css).not.toMatch(/url\(|@import/);
  }));

test("each field has a label, and each control an accessible name", () =>
  openPage((page) => {
    const elements = elementsOf(page.text);
    const labelled = all(elements, "label").map((label) => attribute(label, "for"));
    const fields = all(elements, "input", "select", "textarea").map((field) => attribute(field, "id"));
    expect(fields).toEqual(["title", "author", "genre", "year", "user", "password"]);
    expect(labelled).toEqual(fields);
    const ids = elements.map((element) => attribute(element, "id")).filter((id) => id !== null);
    expect(new Set(ids).size).toBe(ids.length);
    for (const section of all(elements, "section"))
      expect(ids).toContain(attribute(section, "aria-labelledby"));
    for (const button of all(elements, "button", "a")) expect(button.childNodes).toHaveLength(1);
  }));

/** The colours of the light and of the dark scheme, in the form `#rrggbb`, by name. */
const schemes = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block = ""]) =>
  Object.fromEntries(block.matchAll(/--([\w-]+): (#[\da-f]{6});/g).map(([, name, colour]) => [name, colour])),
);

/** Relative luminance (WCAG 2.2). */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

test.each([
  ["text", "page", 4.5],
  ["quiet", "page", 4.5],
  ["accent", "page", 4.5],
  ["problem", "page", 4.5],
  ["on-accent", "accent", 4.5],
  ["line", "page", 3], // borders of fields
])("in light and dark, %s on %s has a contrast of at least %d (WCAG 2.2 AA)", (front, back, minContrast) => {
  expect(schemes).toHaveLength(2);
  for (const scheme of schemes)
    expect(contrast(scheme[front] ?? "", scheme[back] ?? "")).toBeGreaterThanOrEqual(minContrast);
});
