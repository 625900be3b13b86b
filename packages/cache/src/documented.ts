import type { RouteInfo } from "@framework/core";
import {
  coversPath,
  type FieldUse,
  type Host,
  type ImpliedReply,
  type RouteOption,
} from "@framework/core/feature";
import type { CachingConfig } from "./caching-config.ts";
import type { RouteCache } from "./route/route-cache.ts";

/** Declares the replies and header fields that the cache adds to cached routes, for the API document and CORS. */
export const documentCache = (
  { http }: Pick<Host, "http">,
  { methods, excludePaths }: Readonly<CachingConfig>,
  option: RouteOption<RouteCache | false>,
): void => {
  const isExcluded = coversPath(excludePaths);
  const cached: ReadonlySet<string> = new Set(methods);
  const isCached = (route: RouteInfo): boolean =>
    cached.has(route.method) &&
    route.method !== "HEAD" && // the cache skips an explicit HEAD route
    route.addedBy === null &&
    option.of(route) !== false &&
    !isExcluded(route.path);
  http.impliesReplies((route) => {
    if (!isCached(route)) return [];
    return route.method === "GET" ? [unchanged, badRange, notStored] : [notStored];
  });
  http.usesFields((route) => (isCached(route) ? fields : []));
};

const unchanged: ImpliedReply = { status: 304, description: "The client has the current version." };

/** 206 is omitted: only requests with `Range` get it, and with a second success status generated clients would lose the type of `ok`. */
const badRange: ImpliedReply = {
  status: 416,
  description: "The range is beyond the end of the stored reply.",
  headers: { "Content-Range": { description: "Size of the stored reply.", type: "string" } },
};

const notStored: ImpliedReply = {
  status: 504,
  description: "The reply is not in the cache (`only-if-cached`).",
};

const inReply = (name: string, type: FieldUse["type"], description: string): FieldUse => ({
  name,
  in: "reply",
  type,
  description,
});

const fields: readonly FieldUse[] = [
  inReply("Age", "integer", "Seconds since the stored reply was made."),
  inReply("Cache-Status", "string", "Outcome in each cache (RFC 9211)."),
  inReply("ETag", "string", "Tag of this version of the content."),
  inReply("X-Cache", "string", "`HIT`, `MISS`, `STALE`, `REVALIDATED` or `BYPASS`."),
];
