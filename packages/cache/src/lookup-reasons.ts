import type { HttpRequest } from "@framework/core";
import type { DecisionReasons } from "@framework/core/feature";
import type { Outcome, Status } from "./cache-status.ts";
import type { StoredReply } from "./store/cache-store.ts";

/** Reports the key of a request, without the query and the parts of `key` and `per`, since they may contain credentials. */
export const explainKey = (
  reasons: DecisionReasons,
  { request, needsShareable, isScoped }: { request: HttpRequest; needsShareable: boolean; isScoped: boolean },
): void => {
  if (!reasons.isObserved) return;
  const { scheme, host, path, query } = request;
  const search = query.toString() === "" ? "" : "?…";
  const scope = isScoped ? ", plus the part from key or per" : "";
  reasons.give(request, `the key is ${scheme}://${host.toLowerCase()}${path}${search}${scope}`);
  if (needsShareable)
    reasons.give(
      request,
      "the request has an identity: only replies with public or s-maxage, or of shared routes, are used",
    );
};

/** Reports the outcome of a reply from the store. */
export const explainStored = (
  reasons: DecisionReasons,
  request: HttpRequest,
  { bornMs, freshMs }: StoredReply,
  { outcome, status, nowMs }: { outcome: Outcome; status: Status; nowMs: number },
): void => {
  if (!reasons.isObserved) return;
  const stored = `stored ${((nowMs - bornMs) / 1000).toFixed(1)} s ago, fresh for ${freshMs / 1000} s`;
  reasons.give(
    request,
    `${outcome}: ${status.collapsed === true ? "from the call of another request" : stored}`,
  );
};

/** Reports why the replies of a route are not cached. */
export const explainBypass = (
  reasons: DecisionReasons,
  request: HttpRequest,
  { isPlanned, isExplicitHead }: { isPlanned: boolean; isExplicitHead: boolean },
): void => {
  if (!reasons.isObserved) return;
  const exemption = isExplicitHead ? "the path has a HEAD route" : "the path is in excludePaths";
  reasons.give(request, isPlanned ? exemption : "the route has cache: false");
};
