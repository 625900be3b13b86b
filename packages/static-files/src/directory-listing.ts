import { Response } from "@framework/core";
import type { FolderEntry } from "./served-folder.ts";

/** Maximum number of names in one listing. */
export const MAX_LISTED = 1000;

/**
 * Returns an HTML page that lists a folder's entries, folders first.
 *
 * Names are untrusted: they are escaped, links are relative and cannot contain a scheme, and the page's policy forbids scripts and subresources.
 */
export const listingPage = (names: readonly string[], entries: readonly FolderEntry[]): Response => {
  const title = `/${names.map((name) => `${name}/`).join("")}`;
  const up = names.length === 0 ? [] : ['<li><a href="../">../</a></li>'];
  const items = [...entries].sort(byKindAndName).map(item);
  const end = entries.length < MAX_LISTED ? "" : `<p>At most ${MAX_LISTED} names are shown.</p>`;
  const page = [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`,
    `<body><h1>${escapeHtml(title)}</h1><ul>`,
    ...up,
    ...items,
    `</ul>${end}</body></html>`,
  ].join("\n");
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'",
  };
  return Response.html(page, { headers });
};

const byKindAndName = (one: FolderEntry, other: FolderEntry): number =>
  Number(other.isFolder) - Number(one.isFolder) || (one.name < other.name ? -1 : 1);

const item = ({ name, isFolder }: FolderEntry): string => {
  const end = isFolder ? "/" : "";
  const href = `./${encodeURIComponent(name.toWellFormed()).replaceAll("'", "%27")}${end}`;
  return `<li><a href="${href}">${escapeHtml(name)}${end}</a></li>`;
};

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
