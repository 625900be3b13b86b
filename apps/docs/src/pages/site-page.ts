/** The part of the navigation that a page belongs to. */
export type Section = "Start" | "Guides" | "Coming from" | "Packages" | "API" | "Errors" | "Project";

/** One page of the site: Markdown at an address. */
export interface SitePage {
  /** Address from the root of the site, such as `/packages/core/`. */
  readonly url: string;
  readonly title: string;
  readonly section: Section;
  /** Path of its file in the repository; `null` for a page that is generated from code. */
  readonly source: string | null;
  readonly markdown: string;
  /** Whether it is listed in the navigation. */
  readonly isListed: boolean;
}
