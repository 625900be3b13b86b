// Above 250 lines: the reference of RFC 9111, and the random requests that compare the cache with it.
import assert from "node:assert/strict";
import { Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cachedApp, type CachedApp } from "./cached-app.test-kit.ts";

/** A handler's reply, chosen by the test. */
interface Reply {
  readonly status: number;
  readonly maxAge: number | null;
  readonly sharedAge: number | null;
  readonly flags: readonly ("public" | "private" | "no-store" | "no-cache" | "must-revalidate")[];
  readonly swr: number;
  readonly sie: number;
  readonly etag: string | null;
  readonly vary: "" | "x-a" | "x-a, x-b" | "*";
  readonly cookie: boolean;
}

interface Incoming {
  readonly path: string;
  readonly a: string;
  readonly b: string;
  readonly caller: "anonymous" | "ada" | "bob";
  readonly control: "" | "no-store" | "no-cache" | "only-if-cached";
}

/** A stored reply of the reference cache. */
interface Stored {
  readonly incoming: Incoming;
  readonly body: string;
  readonly reply: Reply;
  readonly bornSecs: number;
}

const ttl = 30;

/** A naive shared cache (RFC 9111): a list searched linearly, for sequential requests. */
class Reference {
  lines: Stored[] = [];
  nowSecs = 0;

  /** Returns the expected reply and outcome. `handler` returns the handler's reply to a request with this entity tag. */
  send(
    incoming: Incoming,
    handler: (etag: string | null) => { reply: Reply; body: string },
  ): { seen: string; outcome: string } {
    if (incoming.control === "no-store") return { seen: show(handler(null)), outcome: "BYPASS" };
    const line = this.lines.find((stored) => this.matches(stored, incoming));
    if (line !== undefined && incoming.control !== "no-cache" && !line.reply.flags.includes("no-cache")) {
      const pastFreshSecs = this.nowSecs - line.bornSecs - lifetime(line.reply);
      if (pastFreshSecs < 0) return { seen: show(line), outcome: "HIT" };
      if (pastFreshSecs < staleSecs(line.reply, "swr")) {
        const seen = { seen: show(line), outcome: "STALE" };
        this.settle(incoming, line, handler(line.reply.etag));
        return seen;
      }
    }
    if (incoming.control === "only-if-cached") return { seen: "504", outcome: "MISS" };
    return this.settle(incoming, line, handler(line?.reply.etag ?? null));
  }

  drop(path: string): void {
    this.lines = this.lines.filter(({ incoming }) => incoming.path !== path);
  }

  private settle(
    incoming: Incoming,
    line: Stored | undefined,
    { reply, body }: { reply: Reply; body: string },
  ) {
    const confirmed = line !== undefined && reply.status === 304;
    const survives = line !== undefined && reply.status >= 500 && !line.reply.flags.includes("no-cache");
    const pastFreshSecs = line === undefined ? 0 : this.nowSecs - line.bornSecs - lifetime(line.reply);
    if (survives && pastFreshSecs < staleSecs(line.reply, "sie"))
      return { seen: show(line), outcome: "STALE" };
    const next = confirmed ? { ...reply, status: line.reply.status } : reply;
    const stored = { incoming, body: confirmed ? line.body : body, reply: next, bornSecs: this.nowSecs };
    const isUsable = survives && pastFreshSecs < staleSecs(line.reply, "swr");
    const stores = !isUsable && mayStore(next, incoming.caller !== "anonymous");
    const isIdentified = incoming.caller !== "anonymous";
    if (confirmed || stores || (line !== undefined && !isIdentified && supersedes(reply.status))) {
      this.lines = this.lines.filter(
        (other) => other !== line && !(stores && this.hasSameKey(other, stored)),
      );
    }
    if (stores) this.lines.unshift(stored);
    return {
      seen: show(stored),
      outcome: confirmed ? "REVALIDATED" : isIdentified && !stores ? "BYPASS" : "MISS",
    };
  }

  private matches({ incoming: known, reply }: Stored, incoming: Incoming): boolean {
    if (known.path !== incoming.path || (incoming.caller !== "anonymous" && !isShareable(reply)))
      return false;
    return isSelected(reply, known, incoming);
  }

  /** Whether a newer reply replaces a stored one, because both match the same requests. */
  private hasSameKey(other: Stored, { incoming, reply }: Stored): boolean {
    return other.incoming.path === incoming.path && isSelected(reply, other.incoming, incoming);
  }
}

/** Whether two requests have equal values of the fields in a reply's `Vary` (RFC 9111 4.1). */
const isSelected = ({ vary }: Reply, one: Incoming, other: Incoming): boolean =>
  (!vary.includes("x-a") || one.a === other.a) && (!vary.includes("x-b") || one.b === other.b);

const isShareable = ({ flags, sharedAge }: Reply): boolean => flags.includes("public") || sharedAge !== null;
const lifetime = ({ maxAge, sharedAge }: Reply): number => sharedAge ?? maxAge ?? ttl;
const staleSecs = (reply: Reply, kind: "swr" | "sie"): number =>
  reply.flags.includes("must-revalidate") || reply.flags.includes("no-cache") ? 0 : reply[kind];
const supersedes = (status: number): boolean => status < 400 || status === 404 || status === 410;
const show = ({ reply, body }: { reply: Reply; body: string }): string => `${reply.status} ${body}`;
const mayStore = (reply: Reply, identity: boolean): boolean => {
  const { flags, maxAge, sharedAge, status, cookie, vary, etag } = reply;
  if (cookie || vary === "*" || flags.includes("private") || flags.includes("no-store")) return false;
  if (identity && !isShareable(reply)) return false;
  if (status !== 200 && (maxAge ?? sharedAge) === null) return false;
  const usable = flags.includes("no-cache")
    ? 0
    : lifetime(reply) + Math.max(staleSecs(reply, "swr"), staleSecs(reply, "sie"));
  return usable > 0 || etag !== null;
};

const seconds = fc.option(fc.constantFrom(0, 5, 20), { nil: null });
const replyOf = (vary: fc.Arbitrary<Reply["vary"]>): fc.Arbitrary<Reply> =>
  fc.record({
    status: fc.constantFrom(200, 200, 200, 404, 500),
    maxAge: seconds,
    sharedAge: fc.option(fc.constantFrom(0, 10), { nil: null, freq: 2 }),
    flags: fc.subarray(["public", "private", "no-store", "no-cache", "must-revalidate"] as const, {
      maxLength: 2,
    }),
    swr: fc.constantFrom(0, 0, 10),
    sie: fc.constantFrom(0, 0, 15),
    etag: fc.constantFrom(null, '"1"', '"2"'),
    vary,
    cookie: fc.constantFrom(false, false, false, true),
  });
const incomingRequest: fc.Arbitrary<Incoming> = fc.record({
  path: fc.constantFrom("/1", "/2"),
  a: fc.constantFrom("", "x"),
  b: fc.constantFrom("", "y"),
  caller: fc.constantFrom("anonymous", "anonymous", "ada", "bob"),
  control: fc.constantFrom("", "", "", "", "no-store", "no-cache", "only-if-cached"),
});

const fieldsOf = ({
  maxAge,
  sharedAge,
  flags,
  swr,
  sie,
  etag,
  vary,
  cookie,
}: Reply): Record<string, string> => {
  const control = [
    ...flags,
    ...(maxAge === null ? [] : [`max-age=${maxAge}`]),
    ...(sharedAge === null ? [] : [`s-maxage=${sharedAge}`]),
    `stale-while-revalidate=${swr}`,
    `stale-if-error=${sie}`,
  ];
  return {
    "cache-control": control.join(", "),
    ...(etag !== null && { etag }),
    ...(vary !== "" && { vary }),
    ...(cookie && { "set-cookie": "a=b" }),
  };
};

/** An app whose handler returns the replies that the current run chooses. Every run has its own paths, so one app serves all runs. */
class TestApp {
  readonly cached: CachedApp = cachedApp({ ttl });
  runs = 0;
  respond: (tag: string | null) => { reply: Reply; body: string } = () => {
    throw new Error("no reply was chosen");
  };

  constructor() {
    const { app } = this.cached;
    app.get("/{run}/{page}", (request) => {
      const { reply, body } = this.respond(request.getHeader("if-none-match"));
      return new Response(reply.status === 304 ? null : body, {
        status: reply.status,
        headers: fieldsOf(reply),
      });
    });
    app.post("/{run}/{page}", () => "done");
  }
}

/** The app under test and the reference, with the same handler replies. */
class Pair {
  readonly reference = new Reference();
  readonly seen = new Map<string, number>();
  private readonly cached: CachedApp;
  private readonly run: number;
  private reply: Reply | null = null;
  private calls = 0;

  constructor(testApp: TestApp) {
    this.cached = testApp.cached;
    this.run = ++testApp.runs;
    testApp.respond = (tag) => this.respond(tag);
  }

  private respond(tag: string | null): { reply: Reply; body: string } {
    const { reply } = this;
    if (reply === null) throw new Error("no reply was chosen");
    const same = tag !== null && tag === reply.etag && reply.status === 200;
    return { reply: same ? { ...reply, status: 304 } : reply, body: `body ${this.calls}` };
  }

  async send(incoming: Incoming, reply: Reply): Promise<void> {
    this.calls++;
    this.reply = reply;
    const headers = {
      "x-a": incoming.a,
      "x-b": incoming.b,
      ...(incoming.caller !== "anonymous" && { authorization: incoming.caller }),
      ...(incoming.control !== "" && { "cache-control": incoming.control }),
    };
    const { status, text, outcome } = await this.cached.get(`/${this.run}${incoming.path}`, headers);
    const expected = this.reference.send(incoming, (tag) => this.respond(tag));
    assert.deepEqual({ seen: status === 504 ? "504" : `${status} ${text}`, outcome }, expected);
    this.seen.set(expected.outcome, (this.seen.get(expected.outcome) ?? 0) + 1);
    await this.cached.clock.advance(0 * 1000); // the background refresh ends before the next step
  }

  async pass(secs: number): Promise<void> {
    await this.cached.clock.advance(secs * 1000);
    this.reference.nowSecs += secs;
  }

  async write(path: string): Promise<void> {
    await this.cached.send("POST", `/${this.run}${path}`);
    this.reference.drop(path);
  }
}

/** Number of runs; `CACHE_MODEL_RUNS` overrides it (10,000 take about 20 s). */
const runs = Number(process.env["CACHE_MODEL_RUNS"] ?? 1000);
const timeoutMs = 60_000 + runs * 120;

const totals = new Map<string, number>();

for (const vary of ["", "x-a", "x-a, x-b"] as const) {
  test(
    `random requests get the replies of the reference cache, with Vary "${vary}"`,
    async () => {
      const some = fc.constantFrom<Reply["vary"]>(vary, vary, vary, "*");
      const step = fc.oneof(
        { weight: 5, arbitrary: fc.tuple(fc.constant("incoming" as const), incomingRequest, replyOf(some)) },
        { weight: 2, arbitrary: fc.tuple(fc.constant("pass" as const), fc.constantFrom(1, 4, 9, 21)) },
        { weight: 1, arbitrary: fc.tuple(fc.constant("write" as const), fc.constantFrom("/1", "/2")) },
      );
      const testApp = new TestApp();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
          const pair = new Pair(testApp);
          for (const [kind, first, reply] of steps) {
            if (kind === "incoming") await pair.send(first, reply);
            else if (kind === "pass") await pair.pass(first);
            else await pair.write(first);
          }
          for (const [outcome, count] of pair.seen) totals.set(outcome, (totals.get(outcome) ?? 0) + count);
        }),
        { numRuns: runs },
      );
      await testApp.cached.app.stop();
    },
    timeoutMs,
  );
}

test("the random requests cover every outcome", () => {
  expect([...totals.keys()].sort()).toEqual(["BYPASS", "HIT", "MISS", "REVALIDATED", "STALE"]);
});
