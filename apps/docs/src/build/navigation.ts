import { relativeUrl } from "../markdown/page-links.ts";
import type { Section, SitePage } from "../pages/site-page.ts";

/** A group of links of the navigation. */
export interface NavigationGroup {
  readonly name: Section;
  /** Whether the page itself is in it. */
  readonly open: boolean;
  readonly links: readonly NavigationLink[];
}

export interface NavigationLink {
  readonly title: string;
  readonly href: string;
  readonly current: boolean;
  /** Whether it is a page of the package above it. */
  readonly inner: boolean;
}

const sections: readonly Section[] = [
  "Start",
  "Guides",
  "Coming from",
  "Packages",
  "API",
  "Errors",
  "Project",
];

/** The navigation links of a page. */
export const navigation = (pages: readonly SitePage[], of: SitePage): readonly NavigationGroup[] =>
  sections.flatMap((name) => {
    const links = pages
      .filter((page) => page.listed && page.section === name)
      .map((page) => ({
        title: page.title.replace("@framework/", ""),
        href: relativeUrl(of.url, page.url),
        current: page === of,
        inner: /^\/(packages|api)\/[^/]+\/./.test(page.url),
      }));
    return links.length === 0 ? [] : [{ name, open: name === of.section, links }];
  });
