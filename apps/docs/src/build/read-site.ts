import { pageLinks } from "../markdown/page-links.ts";
import { pageRenderer, type RenderedPage } from "../markdown/render-page.ts";
import { apiPages } from "../pages/api-pages.ts";
import { readErrorCodes } from "../pages/error-codes.ts";
import { errorPages, errorUrl } from "../pages/error-pages.ts";
import { publishedPackages } from "../repository/packages.ts";
import { repositoryPages } from "../pages/repository-pages.ts";
import { readDeclarations } from "../reference/read-declarations.ts";
import type { SitePage } from "../pages/site-page.ts";

/** All pages of the site, and the renderer of a page. */
export interface Site {
  readonly pages: readonly SitePage[];
  render(page: SitePage): RenderedPage;
  /** Pictures of the pages rendered so far: address on the site, by path in the repository. */
  readonly images: ReadonlyMap<string, string>;
}

/** Reads the repository: documents, error codes and declarations. The packages must be built. */
export const readSite = async (root: string): Promise<Site> => {
  const packages = publishedPackages(root);
  const codes = await readErrorCodes(root, packages);
  const written = repositoryPages(root, packages);
  const pages = [...written, ...apiPages(readDeclarations(root, packages)), ...errorPages(codes, written)];
  const links = pageLinks(root, pages);
  const known = new Set(codes.map(({ code }) => code));
  return {
    pages,
    images: links.images,
    render: pageRenderer({
      links,
      errorUrl: (word) => (known.has(word) ? errorUrl(word) : undefined),
    }),
  };
};
