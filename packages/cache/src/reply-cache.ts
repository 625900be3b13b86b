import {
  type Awaitable,
  type Endpoint,
  type Handler,
  HttpError,
  type HttpRequest,
  type Middleware,
  type Response,
} from "@framework/core";
import { isPromise, isUnder, mapAwaitable } from "@framework/core/feature";
import { answer } from "./answer.ts";
import type { Ask } from "./route/ask.ts";
import { parseCacheControl } from "./rules/cache-control.ts";
import { keyOf, variantKey } from "./cache-key.ts";
import type { CacheParts } from "./cache-parts.ts";
import type { StoredReply } from "./store/cache-store.ts";
import type { SharedOutcome, SharedResult } from "./coalescing.ts";
import { hasIdentity } from "./rules/identity.ts";
import { lookUp, type Place } from "./lookup.ts";
import { Origin } from "./origin.ts";
import { planOf, type RoutePlan } from "./route/route-plan.ts";
import { mark, type Outcome, type Status, statusText } from "./verdicts.ts";

/** Maximum calls that a request waits for: the one for its key, and the one for its variant. */
const maxRounds = 2;

/** Answers requests from the store (RFC 9111, shared cache) and stores replies of handlers; `writes` handles methods that are not cached. */
export const replyCache = (
  parts: CacheParts,
  writes: Middleware<HttpRequest, Response>,
): Middleware<HttpRequest, Response> => {
  const cache = new ReplyCache(parts, writes);
  return function cacheReply(request, next) {
    return cache.handle(request, next);
  };
};

class ReplyCache {
  private readonly parts: CacheParts;
  private readonly origin: Origin;
  private readonly plans = new Map<Endpoint, RoutePlan | null>(); // bounded by the number of routes
  private readonly methods: ReadonlySet<string>;
  private readonly writes: Middleware<HttpRequest, Response>;

  constructor(parts: CacheParts, writes: Middleware<HttpRequest, Response>) {
    this.parts = parts;
    this.writes = writes;
    this.origin = new Origin(parts);
    this.methods = new Set(parts.config.methods);
  }

  handle(request: HttpRequest, next: Handler<HttpRequest, Response>): Awaitable<Response> {
    const { endpoint, method, path } = request;
    if (!this.methods.has(method)) return this.writes(request, next);
    if (endpoint === null || endpoint.addedBy !== null) return next(request);
    const plan = this.planFor(endpoint);
    const answersItself = method === "HEAD" && endpoint.method === "HEAD"; // an explicit HEAD route may differ from GET
    if (plan === null || answersItself || this.isExcluded(path)) return this.bypass(request, next);
    const directives = parseCacheControl(request.getHeader("cache-control"));
    if (directives.has("no-store")) {
      if (directives.has("only-if-cached")) throw this.notStored("BYPASS", { forwarded: "bypass" });
      return this.bypass(request, next);
    }
    const extra = plan.keyFor === null ? "" : plan.keyFor(request);
    const identity = hasIdentity(request);
    return mapAwaitable(keyOf(request, extra), (key) =>
      this.serve({ request, next, plan, key, directives, identity, round: 0 }),
    );
  }

  private planFor(endpoint: Endpoint): RoutePlan | null {
    const known = this.plans.get(endpoint);
    if (known !== undefined) return known;
    const plan = planOf(endpoint, this.parts.option.of(endpoint), this.parts.config);
    this.plans.set(endpoint, plan);
    return plan;
  }

  private isExcluded(path: string): boolean {
    for (const prefix of this.parts.config.excludePaths) if (isUnder(path, prefix)) return true;
    return false;
  }

  private bypass(request: HttpRequest, next: Handler<HttpRequest, Response>): Awaitable<Response> {
    const { config, counts } = this.parts;
    return mapAwaitable(next(request), (response) => {
      counts.BYPASS++;
      return mark(response, config.name, "BYPASS", { forwarded: "bypass" });
    });
  }

  private serve(ask: Ask): Awaitable<Response> {
    const place = lookUp(this.parts.store, ask.key, ask.request);
    return isPromise(place) ? this.serveLater(ask, place) : this.decide(ask, place, undefined);
  }

  private serveLater(ask: Ask, finding: Promise<Place>): Promise<Response> {
    const { coalescing, invalidations } = this.parts;
    const { moment } = invalidations;
    return coalescing.whileLooking(finding, (place, missed) =>
      this.decide(ask, place, moment === invalidations.moment ? missed : undefined),
    );
  }

  /** Answers from the store if allowed, else obtains a reply; `missed` ended during the read of the store. */
  private decide(ask: Ask, place: Place, missed: SharedResult | undefined): Awaitable<Response> {
    const { directives, identity, plan } = ask;
    const closed = identity && !plan.shared && place.entry?.shareable !== true;
    const entry = closed ? undefined : place.entry;
    if (entry !== undefined && !entry.validates && !directives.has("no-cache")) {
      const lateMs = this.parts.clock.now() - entry.bornMs - entry.freshMs;
      if (lateMs < 0) return this.fromStore(ask, entry, "HIT", {});
      if (lateMs < entry.staleMs) {
        if (missed === undefined) this.refreshLater(ask, { ...place, entry });
        return this.fromStore(ask, entry, "STALE", {});
      }
    }
    if (directives.has("only-if-cached")) throw this.notStored("MISS", { forwarded: "request" });
    return this.obtain(ask, { ...place, entry }, missed);
  }

  /** Calls the handler, or waits for a running call. */
  private obtain(ask: Ask, place: Place, missed: SharedResult | undefined): Awaitable<Response> {
    const { coalescing } = this.parts;
    if (!mayShare(ask) || coalescing.isUnshareable(place.key)) return this.origin.ask(ask, place, null);
    if (missed !== undefined) return this.follow(ask, place, missed);
    const sharedCall = coalescing.callFor(place.key);
    if (sharedCall === undefined) return this.origin.ask(ask, place, coalescing.start(place.key));
    return sharedCall.result().then((outcome) => this.follow(ask, place, outcome));
  }

  /** Uses the result of another call if it fits this request; else proceeds without waiting for it again. */
  private follow(ask: Ask, place: Place, outcome: SharedOutcome): Awaitable<Response> {
    if (outcome === null) return this.origin.ask(ask, place, null);
    if (outcome === "again") return this.serve({ ...ask, round: ask.round + 1 });
    const { key, names, entry, how } = outcome;
    if (variantKey(ask.key, names, ask.request) !== key) return this.serve({ ...ask, round: ask.round + 1 });
    return this.fromStore(ask, entry, how, { forwarded: this.origin.reason(ask, place), collapsed: true });
  }

  private fromStore(ask: Ask, entry: StoredReply, outcome: Outcome, status: Status): Response {
    const { clock, config, counts } = this.parts;
    counts[outcome]++;
    return answer(entry, ask.request, { name: config.name, nowMs: clock.now(), outcome, status });
  }

  /** Refreshes a stale reply in the background; concurrent refreshes are coalesced. */
  private refreshLater(ask: Ask, place: Place): void {
    const { coalescing, log } = this.parts;
    if (ask.request.method === "HEAD" || coalescing.callFor(place.key) !== undefined) return;
    const sharedCall = coalescing.start(place.key);
    try {
      ask.request.defer(() => this.origin.refresh(ask, place, sharedCall));
    } catch (error) {
      sharedCall.settle(null); // too many tasks are pending: the next request tries again
      log().warn("cache: a stale reply could not be refreshed", { error });
    }
  }

  private notStored(outcome: Outcome, status: Status): HttpError {
    const { config, counts } = this.parts;
    counts[outcome]++;
    return new HttpError(504, "The request accepts only a stored reply, and there is none", {
      headers: { "x-cache": outcome, "cache-status": statusText(config.name, status) },
    });
  }
}

/** Whether a request may be coalesced: without an identity, and only for complete replies. */
const mayShare = ({ identity, plan, request, round }: Ask): boolean =>
  (!identity || plan.shared) &&
  request.method !== "HEAD" &&
  request.getHeader("range") === null &&
  round < maxRounds;
