import { key, type Key, type Response } from "@framework/core";

const CacheTags: Key<readonly string[]> = key<readonly string[]>("cache_tags", []);

/**
 * Adds tags for `invalidateCache` to a reply and returns it. Tags are never sent; without the caching feature they have no effect.
 *
 * @example
 * return cacheTags(Response.json(book), `book:${book.id}`);
 */
export const cacheTags = (response: Response, ...tags: readonly string[]): Response =>
  response.annotate(CacheTags, [...response.annotation(CacheTags), ...tags]);

/** Returns the tags of a reply, in the order added. */
export const tagsOf = (response: Response): readonly string[] => response.annotation(CacheTags);
