import { key, type Key, type Response } from "@framework/core";

const CacheTags: Key<readonly string[]> = key<readonly string[]>("cache_tags", []);

/**
 * Adds names that `invalidateCache` drops this reply by, and returns the reply. Never sent; without the feature it does nothing.
 *
 * @example
 * return cacheTags(Response.json(book), `book:${book.id}`);
 */
export const cacheTags = (response: Response, ...tags: readonly string[]): Response =>
  response.annotate(CacheTags, [...response.annotation(CacheTags), ...tags]);

/** The tags of a reply, in the order added. */
export const tagsOf = (response: Response): readonly string[] => response.annotation(CacheTags);
