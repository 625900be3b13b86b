import { createHash } from "node:crypto";
import type { Bundle } from "./bundle.ts";
import { type CachedFile, textFile } from "./cached-file.ts";
import { relativeUrl } from "./relative-url.ts";

/** Content and paths of a page. */
export interface PageParts {
  readonly title: string;
  /** Path of the page. `documentPath` is the path of the document that it shows. */
  readonly path: string;
  readonly documentPath: string;
  /** Other origins that the page may call, to try out operations. */
  readonly origins: readonly string[];
}

/** Requirements of a tool for its page. */
export interface PageKind {
  readonly bundle: Bundle;
  /** Whether the tool renders a main landmark; otherwise the page adds `<main>`. */
  readonly hasMain: boolean;
  /** Shows the document `page.dataset.document` in the element `page`. Must not contain configuration values. */
  readonly script: string;
  /** Further directives of its content security policy. */
  readonly policy: readonly string[];
}

/** Returns the path of a bundle's file, with the version, so that clients can cache it forever. */
export const bundlePath = (pagePath: string, { name, version }: Bundle, file: string): string =>
  `${pagePath}/${name}-${version}/${file}`;

/** Returns the page as HTML. Its only inline script is the script of the tool, allowed by its hash. */
export const createPage = (parts: PageParts, { bundle, hasMain, script, policy }: PageKind): CachedFile => {
  const urlOf = (file: string): string =>
    escapeHtml(relativeUrl(parts.path, bundlePath(parts.path, bundle, file)));
  const urlsOf = (extension: string): string[] =>
    bundle.files.filter((file) => file.endsWith(extension)).map(urlOf);
  const element = hasMain ? "div" : "main";
  const html = [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(parts.title)}</title>`,
    ...["data:,", ...urlsOf(".png")].slice(-1).map((url) => `<link rel="icon" href="${url}">`),
    ...urlsOf(".css").map((url) => `<link rel="stylesheet" href="${url}">`),
    `<${element} id="page" data-document="${escapeHtml(relativeUrl(parts.path, parts.documentPath))}"></${element}>`,
    ...urlsOf(".js").map((url) => `<script src="${url}"></script>`),
    `<script>${script}</script>`,
    "</html>",
    "",
  ].join("\n");
  return textFile(html, "text/html; charset=utf-8", {
    headers: {
      "cache-control": "no-cache",
      "content-security-policy": policyOf(parts, script, policy),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
};

const policyOf = ({ origins }: PageParts, script: string, further: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...further,
  ].join("; ");

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
