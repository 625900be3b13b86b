import { FrameworkError } from "@framework/core";

/** Most tags of one reply, and characters of one tag. */
export const maxTags = 100;
export const maxTagLength = 1024;

/** Whether a value can be a tag: well-formed text of 1 to 1,024 characters. */
export const isTag = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= maxTagLength && value.isWellFormed();

/** What `invalidateCache` was given, each once. @throws CACHE_BAD_TAG */
export const checkedTags = (tags: readonly string[]): readonly string[] => {
  const given: unknown = tags;
  if (Array.isArray(given) && given.every(isTag)) return [...new Set(given)];
  throw new FrameworkError(
    "CACHE_BAD_TAG",
    `cache: invalidateCache takes a list of tags: strings of 1 to ${maxTagLength} characters`,
  );
};

/** How a program's tag is spelt in the store; no path is spelt so. */
export const programTag = (tag: string): string => `t:${tag}`;

/** The tag of everything stored for a canonical path, whatever the host and query. */
export const pathTag = (path: string): string => `p:${path}`;

/** Parameters that a tag such as `book:{id}` names. */
export const tagParams = (template: string): readonly string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** A tag with the values of its parameters. */
export const filledTag = (template: string, params: Readonly<Record<string, string>>): string =>
  template.includes("{") ? template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "") : template;
