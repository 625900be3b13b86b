import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { builtPages, textOf } from "./built-site.test-kit.ts";
import { publishedPackages } from "./repository/packages.ts";
import { root } from "./repository/root.ts";

const pages = builtPages();

/** Reads the names that a module exports from its source text, each with the file that declares it. */
const exportsOf = (path: string): { name: string; file: string }[] => {
  const code = readFileSync(path, "utf8");
  const lists = Array.from(
    code.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm),
    ([, names = "", from = ""]) =>
      names
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .filter((name) => name !== "")
        .map((name) => ({
          name: name.split(" as ").at(-1) ?? "",
          file: from.startsWith(".") ? join(dirname(path), from) : "",
        })),
  );
  const own = Array.from(
    code.matchAll(/^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm),
    ([, name = ""]) => ({ name, file: path }),
  );
  return [...lists.flat(), ...own];
};

/** Returns the first line of the docstring above a declaration. */
const docstringOf = (name: string, file: string): string => {
  const code = file === "" ? "" : readFileSync(file, "utf8");
  const pattern = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:abstract )?(?:class|const|function|interface|type) ${name}\\b`,
  );
  const [, text = ""] = pattern.exec(code) ?? [];
  return (
    text
      .split("\n")
      .map((line) => line.replace(/^\s*\*? ?/, "").trim())
      .find((line) => line !== "") ?? ""
  );
};

const entries = publishedPackages(root).flatMap(({ name, entries: all }) =>
  Array.from(all, ([entry, types]) => ({
    url: `api${(name + entry.slice(1)).slice("@framework".length)}/`,
    source: join(root, types.replace("/dist/", "/src/").replace(/\.d\.ts$/, ".ts")),
  })),
);

test("every name that a package exports has an entry with the text of its docstring", () => {
  let names = 0;
  for (const { url, source } of entries) {
    const html = pages.get(url) ?? "";
    for (const { name, file } of exportsOf(source)) {
      names++;
      const [, entry = ""] =
        new RegExp(`<h2 id="${name}(?:-1)?">([\\s\\S]*?)(?=<h2|<footer)`).exec(html) ?? [];
      const summary = docstringOf(name, file).replaceAll(
        /[`*_]|\{@link ([^}]*)\}|\[([^\]]*)\]\([^)]*\)/g,
        "$1$2",
      );
      expect([url, name, textOf(entry)]).toEqual([url, name, expect.stringMatching(/\w/)]);
      expect(textOf(entry).replaceAll(/[`*_]/g, "")).toContain(summary.replace(/ ?@.*/, ""));
    }
  }
  expect(names).toBeGreaterThan(900);
});

test("every entry of a name or a member has text", () => {
  for (const { url } of entries) {
    const parts = (pages.get(url) ?? "").split(/<h[23] id="/).slice(1);
    const empty = parts.filter(
      (part) =>
        textOf(part.replace(/^[\s\S]*?<\/h[23]>\s*<pre[\s\S]*?<\/pre>|<footer[\s\S]*/g, "")).trim() === "",
    );
    expect([url, empty.map((part) => part.slice(0, part.indexOf('"')))]).toEqual([url, []]);
  }
});
