import { relativeUrl } from "../markdown/page-links.ts";
import type { Section, SitePage } from "../pages/site-page.ts";

/** A group of links of the navigation. */
export interface NavigationGroup {
  readonly name: Section;
  /** Whether it contains the current page. */
  readonly isOpen: boolean;
  readonly links: readonly NavigationLink[];
}

/** A link of the navigation. */
export interface NavigationLink {
  readonly title: string;
  readonly href: string;
  readonly isCurrent: boolean;
  /** Whether it is a page of the preceding package. */
  readonly isNested: boolean;
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

/** Returns the navigation links of a page, by group. */
export const navigation = (pages: readonly SitePage[], of: SitePage): readonly NavigationGroup[] =>
  sections.flatMap((name) => {
    const links = pages
      .filter((page) => page.isListed && page.section === name)
      .map((page) => ({
        title: page.title.replace("@framework/", ""),
        href: relativeUrl(of.url, page.url),
        isCurrent: page === of,
        isNested: /^\/(packages|api)\/[^/]+\/./.test(page.url),
      }));
    return links.length === 0 ? [] : [{ name, isOpen: name === of.section, links }];
  });
