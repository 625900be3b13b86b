import type { Endpoint, Logger, Response } from "@framework/core";
import type { RequestState } from "./request-state.ts";
import { tagsOf } from "./cache-tags.ts";
import type { ReplyFacts } from "../rules/reply-facts.ts";
import { isTag, MAX_TAG_LENGTH, MAX_TAGS, pathTag, programTag } from "./tags.ts";

/** Collects the tags of replies; logs a route with an invalid tag, or too many tags, once. */
export class ReplyTags {
  private readonly log: () => Logger;
  /** Routes whose invalid tags were logged, bounded by the number of routes. */
  private readonly logged = new Set<Endpoint>();

  constructor(log: () => Logger) {
    this.log = log;
  }

  /**
   * Returns all tags of a reply as stored, its path first; `null` for an invalid tag or too many tags.
   *
   * @param bodyTags tags of the stored body, if the reply is a 304; otherwise empty
   */
  of(
    { request, plan }: RequestState,
    response: Response,
    facts: ReplyFacts,
    bodyTags: readonly string[],
  ): readonly string[] | null {
    const named = [...plan.tagsFor(request), ...tagsOf(response), ...facts.tags];
    if (named.length + bodyTags.length === 0) return [pathTag(request.path)];
    const tags = new Set([pathTag(request.path), ...bodyTags, ...named.map(programTag)]);
    if (named.every(isTag) && tags.size <= MAX_TAGS + 1) return [...tags];
    if (request.endpoint !== null) this.logInvalid(request.endpoint);
    return null;
  }

  private logInvalid(endpoint: Endpoint): void {
    if (this.logged.has(endpoint)) return;
    this.logged.add(endpoint);
    const route = `${endpoint.method} ${endpoint.pattern}`;
    const message = `cache: a reply of ${route} was not stored: a tag is not well-formed text of 1 to ${MAX_TAG_LENGTH} characters, or there are more than ${MAX_TAGS} tags`;
    this.log().error(message, { code: "CACHE_BAD_TAG" });
  }
}
