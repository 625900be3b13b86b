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

/** Calls that one request waits for at most: the one for its key, and the one for the variant that it turned out to want. */
const maxRounds = 2;

/** Answers requests from the store (RFC 9111, shared cache) and stores what handlers answer; `writes` takes the methods that are not cached. */
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
  private readonly plans = new Map<Endpoint, RoutePlan | null>(); // as many as there are routes
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
    const answersItself = method === "HEAD" && endpoint.method === "HEAD"; // a route of its own may differ from GET's
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

  /** Answers from the store where that may be done, else obtains a reply; `missed` came about after the look into the store. */
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

  /** Asks the handler, or waits for the one who is asking already. */
  private obtain(ask: Ask, place: Place, missed: SharedResult | undefined): Awaitable<Response> {
    const { coalescing } = this.parts;
    if (!mayShare(ask) || coalescing.isUnshareable(place.key)) return this.origin.ask(ask, place, null);
    if (missed !== undefined) return this.follow(ask, place, missed);
    const sharedCall = coalescing.callFor(place.key);
    if (sharedCall === undefined) return this.origin.ask(ask, place, coalescing.start(place.key));
    return sharedCall.result().then((outcome) => this.follow(ask, place, outcome));
  }

  /** Takes what another call gave, if it is for this request; else goes on, not waiting again for the same. */
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

  /** Refreshes after this reply is out, once for all who are answered with the stale one. */
  private refreshLater(ask: Ask, place: Place): void {
    const { coalescing, log } = this.parts;
    if (ask.request.method === "HEAD" || coalescing.callFor(place.key) !== undefined) return;
    const sharedCall = coalescing.start(place.key);
    try {
      ask.request.defer(() => this.origin.refresh(ask, place, sharedCall));
    } catch (error) {
      sharedCall.settle(null); // too much work waits in this process: the next request tries again
      log().warn("cache: a stale reply could not be refreshed", { error });
    }
  }

  private notStored(outcome: Outcome, status: Status): HttpError {
    const { config, counts } = this.parts;
    counts[outcome]++;
    return new HttpError(504, "The request takes only a stored reply, and there is none", {
      headers: { "x-cache": outcome, "cache-status": statusText(config.name, status) },
    });
  }
}

/** Whether a request may wait for another's reply, and others for its own: never across identities, and only for replies that are stored whole. */
const mayShare = ({ identity, plan, request, round }: Ask): boolean =>
  (!identity || plan.shared) &&
  request.method !== "HEAD" &&
  request.getHeader("range") === null &&
  round < maxRounds;
