import type { Endpoint, Logger, Response } from "@framework/core";
import type { Ask } from "./ask.ts";
import { tagsOf } from "./cache-tags.ts";
import type { ReplyFacts } from "../rules/reply-facts.ts";
import { isTag, maxTags, pathTag, programTag } from "./tags.ts";

/** Collects the tags of replies; logs a route with an invalid tag once. */
export class ReplyTags {
  private readonly log: () => Logger;
  /** Routes whose invalid tags were logged, bounded by the number of routes. */
  private readonly complained = new Set<Endpoint>();

  constructor(log: () => Logger) {
    this.log = log;
  }

  /** Returns every tag in the store's spelling, its path first; `null` for an invalid tag or too many. */
  of(
    { request, plan }: Ask,
    response: Response,
    facts: ReplyFacts,
    old: readonly string[],
  ): readonly string[] | null {
    const named = [...plan.tagsFor(request), ...tagsOf(response), ...facts.tags];
    if (named.length + old.length === 0) return [pathTag(request.path)];
    const tags = new Set([pathTag(request.path), ...old, ...named.map(programTag)]);
    if (named.every(isTag) && tags.size <= maxTags + 1) return [...tags];
    if (request.endpoint !== null) this.complain(request.endpoint);
    return null;
  }

  private complain(endpoint: Endpoint): void {
    if (this.complained.has(endpoint)) return;
    this.complained.add(endpoint);
    const what = `a reply of ${endpoint.method} ${endpoint.pattern} is not stored`;
    const message = `cache: ${what}: it has a tag that is empty or too long, or more than ${maxTags}`;
    this.log().error(message, { code: "CACHE_BAD_TAG" });
  }
}
