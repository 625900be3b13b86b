import type {
  DeclaredEntry,
  DeclaredMember,
  DeclaredName,
  Documentation,
} from "../reference/declared-name.ts";
import type { PublishedPackage } from "../repository/packages.ts";
import type { SitePage } from "./site-page.ts";

/** Returns the address of the page of an entry, such as `/api/core/testing/`. */
export const apiUrl = (specifier: string): string => `/api/${specifier.slice(specifier.indexOf("/") + 1)}/`;

/** Returns a page for each entry of each package, with every name that it exports. */
export const apiPages = (
  declarations: ReadonlyMap<PublishedPackage, readonly DeclaredEntry[]>,
): readonly SitePage[] =>
  [...declarations].flatMap(([pkg, entries]) =>
    entries.filter(({ names }) => names.length > 0).map((entry) => pageOf(pkg, entry)),
  );

const pageOf = (pkg: PublishedPackage, { specifier, names }: DeclaredEntry): SitePage => ({
  url: apiUrl(specifier),
  title: specifier,
  section: "API",
  source: null,
  isListed: true,
  markdown: [
    `# API of ${specifier}`,
    `Everything that \`${specifier}\` exports, from its declarations. [What the package does](/packages/${pkg.short}/).`,
    ...names.flatMap(blocksOf),
  ].join("\n\n"),
});

const blocksOf = (name: DeclaredName): string[] => [
  `## ${name.name}`,
  fenced(name.code),
  ...textOf(name),
  ...name.members.flatMap((member) => memberBlocks(name, member)),
];

const memberBlocks = (owner: DeclaredName, member: DeclaredMember): string[] => [
  `### ${owner.name}.${member.name}`,
  fenced(member.code),
  ...textOf(member),
];

const fenced = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``;

/** Returns a docstring as Markdown: its text, then parameters, defaults and errors as a list, then examples. */
const textOf = ({ text, tags }: Documentation): string[] => {
  const listed = tags.filter(({ tag }) => tag !== "example");
  const examples = tags.filter(({ tag }) => tag === "example");
  return [
    escapeText(text),
    ...(listed.length === 0
      ? []
      : [listed.map(({ tag, text: value }) => `- ${titleOf(tag, value)}`).join("\n")]),
    ...examples.map(({ text: code }) => (code.includes("```") ? code : fenced(code))),
  ].filter((block) => block !== "");
};

const titleOf = (tag: string, text: string): string => {
  const value = escapeText(text.replaceAll(/\s*\n\s*/g, " "));
  if (tag !== "param" && tag !== "template" && tag !== "typeParam") return `**${tag}** ${value}`.trim();
  const [, name = "", rest = ""] = /^(\S+)\s*-?\s*(.*)$/s.exec(value) ?? [];
  return `\`${name}\` ${rest}`;
};

/** Replaces links between docstrings with code, and escapes lines that would start a heading. */
const escapeText = (text: string): string =>
  text.replaceAll(/\{@link(?:code)? ([^}|]+)[^}]*\}/g, "`$1`").replaceAll(/^#/gm, "\\#");
