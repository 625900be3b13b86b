import type { ReplyFacts } from "./reply-facts.ts";
import { type StoringContext, understoodStatuses } from "./storing-rules.ts";

/** Input of the decision besides the reply's fields. */
export interface NotStoredContext extends Pick<StoringContext, "status" | "identity" | "shared" | "own"> {
  readonly isStream: boolean;
  /** Bytes of the body. */
  readonly bodyBytes: number;
  readonly maxEntryBytes: number;
  readonly isHead: boolean;
}

/** Describes why a reply was not stored, in the order of the storing rules; for request traces. */
export const notStoredReason = (
  { directives, setsCookies, vary }: ReplyFacts,
  { status, identity, shared, own, isStream, bodyBytes, maxEntryBytes, isHead }: NotStoredContext,
): string => {
  if (isHead) return "HEAD has no body to store";
  if (isStream) return "the body is a stream";
  if (bodyBytes > maxEntryBytes) return `${bodyBytes} bytes are more than maxEntryBytes ${maxEntryBytes}`;
  if (setsCookies) return "the reply sets a cookie";
  if (vary.includes("*")) return "Vary is *";
  if (directives.has("must-understand")) {
    if (!understoodStatuses.has(status))
      return `Cache-Control has must-understand, and the cache has no rules for the status ${status}`;
  } else if (directives.has("no-store")) return "Cache-Control has no-store";
  if (directives.has("private") && !own) return "Cache-Control has private";
  if (identity && !shared && !directives.has("public") && !directives.has("s-maxage"))
    return "the request has an identity, and the reply is not public";
  return status >= 200 && status <= 299
    ? "it would never be fresh, contains a value for one client, or has too many Vary names or a bad tag"
    : `its status is ${status}`;
};
