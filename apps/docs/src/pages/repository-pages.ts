import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PublishedPackage } from "../repository/packages.ts";
import type { Section, SitePage } from "./site-page.ts";

/** Documents of the repository that become pages unchanged. */
const documents: readonly (readonly [source: string, url: string, section: Section])[] = [
  ["README.md", "/", "Start"],
  ["apps/books/README.md", "/books/", "Start"],
  ["ARCHITECTURE.md", "/architecture/", "Project"],
  ["CONTRIBUTING.md", "/contributing/", "Project"],
  ["SECURITY.md", "/security/", "Project"],
  ["PACKAGES.md", "/sizes/", "Project"],
  ["bench/README.md", "/benchmarks/", "Project"],
  ["bench/comparison.md", "/comparison/", "Project"],
  ["tests/ports/README.md", "/ports/", "Project"],
  ["apps/docs/README.md", "/about/", "Project"],
];

/** Titles of documents whose heading would be ambiguous. */
const titles: ReadonlyMap<string, string> = new Map([
  ["bench/README.md", "Benchmarks"],
  ["apps/books/README.md", "The books application"],
  ["apps/docs/README.md", "This site"],
  ["docs/README.md", "All guides"],
  ["tests/ports/README.md", "The same service in seven frameworks"],
]);

/** Returns the READMEs and pages of the repository, each at its address. Their files are the only copy of their text. */
export const repositoryPages = (root: string, packages: readonly PublishedPackage[]): readonly SitePage[] => {
  const page = (source: string, url: string, section: Section): SitePage => {
    const markdown = readFileSync(join(root, source), "utf8");
    return { url, section, source, markdown, isListed: true, title: titles.get(source) ?? titleOf(markdown) };
  };
  return [
    ...documents.map(([source, url, section]) => page(source, url, section)),
    ...packages.flatMap(({ folder, short }) => [
      page(`${folder}/README.md`, `/packages/${short}/`, "Packages"),
      ...globSync(`${folder}/docs/*.md`, { cwd: root })
        .map((path) => path.replaceAll("\\", "/"))
        .sort()
        .map((path) => page(path, `/packages/${short}/${basename(path, ".md")}/`, "Packages")),
    ]),
    ...guidePages(root).map(([source, url, section]) => page(source, url, section)),
  ];
};

/** Returns the pages of the folder `docs`: the list of guides, then the pages that it links to, in its order. */
const guidePages = (root: string): (readonly [source: string, url: string, section: Section])[] => {
  const list = readFileSync(join(root, "docs/README.md"), "utf8");
  const listed = Array.from(list.matchAll(/\]\(([\w/-]+)\.md\)/g), ([, name = ""]) => name);
  const written = globSync("docs/**/*.md", { cwd: root }).map((path) => path.replaceAll("\\", "/"));
  const missing = written.filter((path) => !["README", ...listed].some((name) => path === `docs/${name}.md`));
  if (missing.length > 0) throw new Error(`docs/README.md does not link to ${missing.join(", ")}`);
  return [
    ["docs/README.md", "/guides/", "Guides"],
    ...[...new Set(listed)].map(
      (name) => [`docs/${name}.md`, `/${name}/`, sectionOf.get(dirname(name)) ?? "Guides"] as const,
    ),
  ];
};

const sectionOf: ReadonlyMap<string, Section> = new Map([
  ["guides", "Guides"],
  ["coming-from", "Coming from"],
]);

const titleOf = (markdown: string): string => (/^# (.+)$/m.exec(markdown)?.[1] ?? "").replaceAll("`", "");
