import { FrameworkError } from "@framework/core";

/** Maximum number of tags of one reply, and characters of one tag. */
export const MAX_TAGS = 100;
export const MAX_TAG_LENGTH = 1024;

/** Whether a value can be a tag: well-formed text of 1 to 1,024 characters. */
export const isTag = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= MAX_TAG_LENGTH && value.isWellFormed();

/** Checks the tags of `invalidateCache` and removes duplicates. @throws CACHE_BAD_TAG */
export const checkedTags = (tags: readonly string[]): readonly string[] => {
  const given: unknown = tags;
  if (Array.isArray(given) && given.every(isTag)) return [...new Set(given)];
  throw new FrameworkError(
    "CACHE_BAD_TAG",
    `cache: invalidateCache takes a list of tags: strings of 1 to ${MAX_TAG_LENGTH} characters`,
  );
};

/** Returns a program's tag as stored, distinct from the tag of every path. */
export const programTag = (tag: string): string => `t:${tag}`;

/** Returns the tag of all replies of a canonical path, for any host and query. */
export const pathTag = (path: string): string => `p:${path}`;

/** Returns the parameters of a tag such as `book:{id}`. */
export const tagParams = (template: string): readonly string[] =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Fills in the parameters of a tag. */
export const filledTag = (template: string, params: Readonly<Record<string, string>>): string =>
  template.includes("{") ? template.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "") : template;
