import type { Section, SitePage } from "../pages/site-page.ts";

const titles: readonly (readonly [Section, string])[] = [
  ["Start", "Start"],
  ["Guides", "Guides by task"],
  ["Coming from", "Coming from another framework"],
  ["Packages", "Packages"],
  ["API", "API reference"],
  ["Errors", "Error codes"],
  ["Project", "Project"],
];

/** Returns the list of the pages of the site as Markdown, in the format of llmstxt.org: a title, a summary, and a link to the Markdown of each page with its first sentence. */
export const llmsText = (pages: readonly SitePage[]): string => {
  const home = pages.find(({ url }) => url === "/");
  return [
    `# ${home?.title ?? ""}`,
    `> ${firstSentence(home?.markdown ?? "")}`,
    ...titles.map(([section, title]) =>
      [
        `## ${title}`,
        "",
        ...pages.filter((page) => page.isListed && page.section === section).map(lineOf),
      ].join("\n"),
    ),
  ].join("\n\n");
};

const lineOf = ({ title, url, markdown }: SitePage): string =>
  `- [${title}](${url.slice(1)}index.md): ${firstSentence(markdown)}`;

const firstSentence = (markdown: string): string => {
  const [paragraph = ""] = markdown
    .split(/\n{2,}/)
    .filter((block) => /^[A-Z`*[]/.test(block) && !block.startsWith("A page of"));
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("\n", " ");
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
};
