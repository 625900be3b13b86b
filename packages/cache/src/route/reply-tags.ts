import type { Endpoint, Logger, Response } from "@framework/core";
import type { Ask } from "./ask.ts";
import { tagsOf } from "./cache-tags.ts";
import type { ReplyFacts } from "../rules/reply-facts.ts";
import { isTag, maxTags, pathTag, programTag } from "./tags.ts";

/** Collects the tags of replies; a route whose reply has one that cannot be a tag is logged once. */
export class ReplyTags {
  private readonly log: () => Logger;
  /** Routes whose tags were complained about, at most as many as there are routes. */
  private readonly complained = new Set<Endpoint>();

  constructor(log: () => Logger) {
    this.log = log;
  }

  /** Every tag as the store spells it, its path first; `null` when one cannot be a tag, or when there are too many. */
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
