import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { PublishedPackage } from "../repository/packages.ts";
import type { Section, SitePage } from "./site-page.ts";

/** Documents of the repository that are pages as they are. */
const documents: readonly (readonly [source: string, url: string, section: Section])[] = [
  ["README.md", "/", "Start"],
  ["apps/books/README.md", "/books/", "Start"],
  ["ARCHITECTURE.md", "/architecture/", "Project"],
  ["CONTRIBUTING.md", "/contributing/", "Project"],
  ["SECURITY.md", "/security/", "Project"],
  ["PACKAGES.md", "/sizes/", "Project"],
  ["bench/README.md", "/benchmarks/", "Project"],
  ["apps/docs/README.md", "/about/", "Project"],
];

/** Titles where the heading of the document alone would not tell the page from others. */
const titles: ReadonlyMap<string, string> = new Map([
  ["bench/README.md", "Benchmarks"],
  ["apps/books/README.md", "The books application"],
  ["apps/docs/README.md", "This site"],
]);

/** The READMEs and pages of the repository, each at its address. Their files are the only copy of their texts. */
export const repositoryPages = (root: string, packages: readonly PublishedPackage[]): readonly SitePage[] => {
  const page = (source: string, url: string, section: Section): SitePage => {
    const markdown = readFileSync(join(root, source), "utf8");
    return { url, section, source, markdown, listed: true, title: titles.get(source) ?? titleOf(markdown) };
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
    ...contentPages(root).map(([source, url, section]) => page(source, url, section)),
  ];
};

/** Pages that are written for the site: guides by task, and comparisons for those who know another framework. */
const contentPages = (root: string): (readonly [string, string, Section])[] =>
  globSync("apps/docs/content/**/*.md", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => {
      const name = path.slice("apps/docs/content/".length, -".md".length);
      const folder = name.split("/")[0] ?? "";
      return [path, `/${name}/`, folder === name ? "Start" : (sectionOf.get(folder) ?? "Start")] as const;
    });

const sectionOf: ReadonlyMap<string, Section> = new Map([
  ["guides", "Guides"],
  ["coming-from", "Coming from"],
]);

const titleOf = (markdown: string): string => (/^# (.+)$/m.exec(markdown)?.[1] ?? "").replaceAll("`", "");
