import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { SitePage } from "../pages/site-page.ts";

const REPOSITORY = "https://github.com/framework/framework";

/** Resolves the links of pages: to other pages, and to files of the repository that are not pages. */
export interface PageLinks {
  /**
   * Returns the address on the site for a link of a page.
   *
   * @throws Error when it names neither a page nor a file of the repository
   */
  resolve(href: string, from: SitePage): string;
  /** Returns the address of a picture, which becomes a file of the site. */
  image(src: string, from: SitePage): string;
  /** Pictures of the rendered pages: address on the site, by path in the repository. */
  readonly images: ReadonlyMap<string, string>;
}

/** Creates the resolver for a set of pages. */
export const pageLinks = (root: string, pages: readonly SitePage[]): PageLinks => {
  const bySource = new Map(pages.flatMap((page) => (page.source === null ? [] : [[page.source, page.url]])));
  const urls = new Set(pages.map(({ url }) => url));
  const toFile = (path: string, fragment: string, from: SitePage): string => {
    const url = bySource.get(path) ?? bySource.get(posix.join(path, "README.md"));
    if (url !== undefined) return relativeUrl(from.url, url) + fragment;
    if (!existsSync(join(root, path)))
      throw new Error(`${from.source ?? from.url}: there is no file ${path}`);
    const kind = statSync(join(root, path)).isDirectory() ? "tree" : "blob";
    return `${REPOSITORY}/${kind}/main/${path}${fragment}`;
  };
  const images = new Map<string, string>();
  return {
    images,
    image(src, from) {
      const path = posix.join(posix.dirname(from.source ?? "."), src);
      const url = `/images/${posix.basename(path)}`;
      images.set(path, url);
      return relativeUrl(from.url, url);
    },
    resolve(href, from) {
      const [, path = "", fragment = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
      if (path === "") return fragment;
      const repositoryPath = /^https:\/\/github\.com\/framework\/framework\/(?:blob|tree)\/main\/(.+)$/.exec(
        path,
      )?.[1];
      if (repositoryPath !== undefined) return toFile(repositoryPath.replace(/\/$/, ""), fragment, from);
      if (/^[a-z]+:/.test(path)) return href;
      if (!path.startsWith("/")) {
        return toFile(posix.join(posix.dirname(from.source ?? "."), path).replace(/\/$/, ""), fragment, from);
      }
      if (!urls.has(path)) throw new Error(`${from.source ?? from.url}: there is no page ${path}`);
      return relativeUrl(from.url, path) + fragment;
    },
  };
};

/** Returns the address of one page relative to another, so the site can be served under any path. */
export const relativeUrl = (from: string, to: string): string => {
  const up = "../".repeat(from.split("/").length - 2);
  return `${up}${to.slice(1)}` || "./";
};
