import MarkdownIt from "markdown-it";
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

/** Returns `llms.txt` (llmstxt.org): title and summary of the site, then by section a link to the Markdown of each listed page, with the page's first sentence. */
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

const lineOf = ({ title, url, markdown }: SitePage): string => {
  const sentence = firstSentence(markdown);
  return `- [${title}](${url.slice(1)}index.md)${sentence === "" ? "" : `: ${sentence}`}`;
};

const parser = new MarkdownIt({ html: false });

const firstSentence = (markdown: string): string => {
  const plain = firstParagraph(markdown)
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll("\n", " ");
  return /^.*?(?<!\b(?:e\.g|i\.e))[.:?!](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
};

/** Returns the first paragraph outside of lists and quotations, without the line that names the page's package. */
const firstParagraph = (markdown: string): string => {
  const tokens = parser.parse(markdown, {});
  const isParagraph = (index: number): boolean =>
    tokens[index]?.type === "paragraph_open" && tokens[index].level === 0;
  const texts = tokens.filter((_token, index) => isParagraph(index - 1)).map(({ content }) => content);
  return texts.find((text) => !text.startsWith("A page of") && !/^\[?!\[/.test(text)) ?? ""; // not a picture or badge
};
