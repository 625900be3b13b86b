/** A link of a document. */
export interface Link {
  /** Its target without the anchor; empty for an anchor in the same document. */
  readonly path: string;
  /** Its anchor, without `#`; empty without one. */
  readonly anchor: string;
}

const FENCED = /^(`{3,}|~{3,})[\s\S]*?^\1`*$/gm;
const CODE = /`[^`\n]*`/g;

/** The inline links of a Markdown text, outside code. */
export const linksOf = (markdown: string): Link[] =>
  Array.from(
    markdown
      .replaceAll(FENCED, "")
      .replaceAll(CODE, "code")
      .matchAll(/\]\(([^()\s#]*)#?([^()\s]*)\)/g),
    ([, path = "", anchor = ""]) => ({ path, anchor }),
  );

/** The anchors that a page gives to its headings, by GitHub's rule. */
export const anchorsOf = (markdown: string): string[] =>
  Array.from(markdown.replaceAll(FENCED, "").matchAll(/^#{1,6} +(.*?)\s*$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
