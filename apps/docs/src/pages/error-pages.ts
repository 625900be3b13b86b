import type { ErrorCode } from "./error-codes.ts";
import { type Mention, mentionsOf } from "./mentions.ts";
import type { SitePage } from "./site-page.ts";

/** Returns the address of the page of an error code. */
export const errorUrl = (code: string): string => `/errors/${code}/`;

/** Returns a page for each error code, and the list of all; `pages` are searched for paragraphs that name a code. */
export const errorPages = (codes: readonly ErrorCode[], pages: readonly SitePage[]): readonly SitePage[] => {
  const mentions = mentionsOf(
    codes.map(({ code }) => code),
    pages,
  );
  return [listOf(codes), ...codes.map((code) => pageOf(code, mentions.get(code.code) ?? []))];
};

const pageOf = (
  { code, package: pkg, status, summary, action }: ErrorCode,
  mentions: readonly Mention[],
): SitePage => ({
  url: errorUrl(code),
  title: code,
  section: "Errors",
  source: null,
  isListed: false,
  markdown: [
    `# ${code}`,
    `An error code of [\`${pkg.name}\`](/packages/${pkg.short}/).`,
    "## Cause",
    `${capitalised(summary)}.`,
    ...(status === undefined ? [] : [`A client that causes it gets the status ${status}.`]),
    "## Remedy",
    `${capitalised(action)}.`,
    ...(mentions.length === 0 ? [] : ["## In the documentation", ...mentions.flatMap(mentioned)]),
    `\`npx @framework/cli explain ${code}\` prints the same text and the address of this page, without network access. [All error codes](/errors/).`,
  ].join("\n\n"),
});

const mentioned = ({ page, heading, slug, text }: Mention): string[] => [
  `[${page.title}${heading === "" ? "" : `: ${heading}`}](${page.url}${slug === "" ? "" : `#${slug}`})`,
  text.replaceAll(/^/gm, "> "),
];

const listOf = (codes: readonly ErrorCode[]): SitePage => {
  const names = [...new Set(codes.map(({ package: { name } }) => name))].sort();
  return {
    url: "/errors/",
    title: "Error codes",
    section: "Errors",
    source: null,
    isListed: true,
    markdown: [
      "# Error codes",
      `Every error of the framework has a code, which is in its message, the log line and \`error.code\`. These are all ${codes.length}, each with its own page; \`framework explain CODE\` prints the same in a terminal.`,
      ...names.flatMap((name) => [
        `## ${name}`,
        "| Code | Cause |\n| --- | --- |\n".concat(
          codes
            .filter((code) => code.package.name === name)
            .map(({ code, summary }) => `| \`${code}\` | ${summary.replaceAll("|", "\\|")} |`)
            .join("\n"),
        ),
      ]),
    ].join("\n\n"),
  };
};

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
