import { App, Response } from "@framework/core";
import { expect, test } from "@jest/globals";
import { cachedApp, testClock } from "../cached-app.test-kit.ts";
import { caching } from "../index.ts";

interface Control {
  readonly text: string | null;
  readonly secs?: number;
  readonly forbidden?: boolean;
  readonly shareable?: boolean;
}

/** Values of `Cache-Control` with their meaning: explicit seconds, forbidden, shareable with identities. */
const controls: readonly Control[] = [
  { text: null },
  { text: "" },
  { text: "public", shareable: true },
  { text: "max-age=60", secs: 60 },
  { text: "MAX-AGE=60", secs: 60 },
  { text: 'max-age="60"', secs: 60 },
  { text: "max-age=0", secs: 0 },
  { text: "max-age=-1", secs: 0 },
  { text: "max-age=1.5", secs: 0 },
  { text: "max-age=x", secs: 0 },
  { text: "max-age", secs: 0 },
  { text: "max-age=60, max-age=60", secs: 60 },
  { text: "max-age=60, max-age=90", secs: 0 },
  { text: "max-age=99999999999999999999", secs: 2_147_483_648 },
  { text: "max-age=0, s-maxage=60", secs: 60, shareable: true },
  { text: "s-maxage=60", secs: 60, shareable: true },
  { text: "s-maxage=0, max-age=60", secs: 0, shareable: true },
  { text: "public, max-age=60", secs: 60, shareable: true },
  { text: "private", forbidden: true },
  { text: 'private="x-a, x-b", max-age=60', forbidden: true },
  { text: "no-store, max-age=60", forbidden: true },
  { text: "public, no-store", forbidden: true },
  { text: "no-cache, max-age=60", forbidden: true }, // without a validator
  { text: 'no-cache="set-cookie", max-age=60', forbidden: true },
  { text: "must-revalidate, max-age=60", secs: 60 },
  { text: 'x="private, no-store", max-age=60', secs: 60 },
];

const storableStatuses: readonly number[] = [
  200, 201, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 422, 499, 500, 501, 502,
  503, 599,
];
const unstorableStatuses: readonly number[] = [
  206, 304, 401, 403, 407, 408, 411, 412, 416, 417, 421, 425, 426, 428, 429, 431, 511,
];
const statuses = [...storableStatuses, ...unstorableStatuses];

const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: {},
  authorization: { authorization: "Bearer x" },
  cookie: { cookie: "a=b" },
  early: { "x-principal": "user" },
  claims: { "x-principal": "jwt_claims" },
  late: { "x-late-principal": "api_key_name" },
};

/** Whether a reply is stored, by an independent implementation of the rules. */
const isStored = (control: Control, status: number, credential: string, shared: boolean): boolean => {
  const { secs, forbidden = false, shareable = false } = control;
  if (forbidden || secs === 0) return false;
  if (credential !== "none" && !shareable && !shared) return false;
  return storableStatuses.includes(status) && (secs !== undefined || status < 300);
};

/** Every status without credentials and with one, and one status of each kind with the others. */
const combinations: readonly (readonly [status: number, credential: string])[] = [
  ...statuses.flatMap((status) => [[status, "none"] as const, [status, "authorization"] as const]),
  ...[200, 404, 206, 304].flatMap((status) =>
    Object.keys(credentials)
      .slice(2)
      .map((name) => [status, name] as const),
  ),
];

test("a reply with each Cache-Control, status and credential is stored if and only if the rules allow it", async () => {
  const differences: string[] = [];
  let cells = 0;
  for (const shared of [false, true]) {
    const app = new (App.with(caching))().enableCaching({ clock: testClock() });
    app.use((request, next) => {
      const principal = request.getHeader("x-principal");
      if (principal !== null) request.context.set(principal, { sub: "a" });
      return next(request);
    });
    app.get("/{control}/{status}", { cache: { shared } }, (request) => {
      const late = request.getHeader("x-late-principal");
      if (late !== null) request.context.set(late, "service");
      const { text } = controls[Number(request.params.control)] ?? { text: null };
      const headers: Record<string, string> = text === null ? {} : { "cache-control": text };
      const status = Number(request.params.status);
      return new Response(status === 204 || status === 304 ? null : "body", { status, headers });
    });
    for (const [index, control] of controls.entries()) {
      for (const [status, name] of combinations) {
        cells++;
        const path = `/${index}/${status}`;
        const init = { headers: credentials[name] ?? {} };
        const send = () => app.fetch(new Request(`http://localhost${path}?${name}`, init));
        await send();
        const outcome = (await send()).headers.get("x-cache");
        const stored = isStored(control, status, name, shared);
        const expected = stored ? "HIT" : name === "none" || shared ? "MISS" : "BYPASS";
        if (outcome !== expected)
          differences.push(`${control.text} ${status} ${name} ${shared}: ${outcome}, not ${expected}`);
      }
    }
    await app.stop();
  }
  expect(differences).toEqual([]);
  expect(cells).toBe(controls.length * combinations.length * 2);
});

/** Sends two requests. Returns the outcome of the second. */
const secondOutcome = async (reply: () => unknown, config = {}, secsBetween = 0): Promise<string | null> => {
  const { app, get, clock } = cachedApp(config);
  app.get("/", reply);
  await get("/");
  await clock.advance(secsBetween * 1000);
  return (await get("/")).outcome;
};
const withHeaders = (headers: Record<string, string>) => () => new Response("body", { headers });

test("a reply with Set-Cookie is never stored", async () => {
  for (const control of ["public", "s-maxage=60", "max-age=60"]) {
    expect(await secondOutcome(withHeaders({ "set-cookie": "a=b", "cache-control": control }))).toBe("MISS");
  }
});

test("streams and bodies above maxEntryBytes, counted in UTF-8, are not stored", async () => {
  expect(await secondOutcome(() => Response.stream(["x"]))).toBe("MISS");
  expect(await secondOutcome(() => "ä".repeat(50), { maxEntryBytes: 100 })).toBe("HIT");
  expect(await secondOutcome(() => "ä".repeat(51), { maxEntryBytes: 100 })).toBe("MISS");
  expect(await secondOutcome(() => new Response(new Uint8Array(1_048_576)))).toBe("HIT");
  expect(await secondOutcome(() => new Response(new Uint8Array(1_048_577)))).toBe("MISS");
});

test("Expires counts from Date, and a malformed or repeated Expires means stale", async () => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  const cases: readonly (readonly [string, number, string])[] = [
    ["Thu, 01 Jan 2026 00:01:00 GMT", 59, "HIT"],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60, "MISS"],
    ["Thursday, 01-Jan-26 00:01:00 GMT", 59, "HIT"],
    ["Thu Jan  1 00:01:00 2026", 59, "HIT"],
    ["THU, 01 jan 2026 00:01:00 gmt", 59, "HIT"],
    ["thursday, 01-JAN-26 00:01:00 Gmt", 59, "HIT"],
    ["thu jan  1 00:01:00 2026", 60, "MISS"],
    ["thu jan  1 00:01:00 2026", 59, "HIT"],
    ["Thu, 01 Jan 2026 00:01:00 UTC", 0, "MISS"],
    ["0", 0, "MISS"],
    ["-1", 0, "MISS"],
    ["2026-01-01T00:01:00Z", 0, "MISS"],
    ["Thu, 01 Jan 2026 00:01:00", 0, "MISS"],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0, "MISS"],
  ];
  for (const [expires, secs, outcome] of cases) {
    expect([expires, secs, await secondOutcome(withHeaders({ expires, date }), {}, secs)]).toEqual([
      expires,
      secs,
      outcome,
    ]);
  }
  const repeatedExpires = () =>
    new Response("body")
      .appendHeader("expires", "Thu, 01 Jan 2026 00:01:00 GMT")
      .appendHeader("expires", "Thu, 01 Jan 2026 00:01:00 GMT");
  expect(await secondOutcome(repeatedExpires)).toBe("MISS");
  const older = { expires: "Thu, 01 Jan 2026 00:00:00 GMT", date: "Wed, 31 Dec 2025 23:59:00 GMT" };
  expect(await secondOutcome(withHeaders(older))).toBe("MISS"); // 60 s of freshness, which have passed
  expect(
    await secondOutcome(
      withHeaders({ expires: "Fri, 02 Jan 2026 00:00:00 GMT", "cache-control": "max-age=5" }),
      {},
      6,
    ),
  ).toBe("MISS");
});

test("Age and Date count towards the age", async () => {
  const life = { "cache-control": "max-age=60" };
  expect(await secondOutcome(withHeaders({ ...life, age: "50" }), {}, 9)).toBe("HIT");
  expect(await secondOutcome(withHeaders({ ...life, age: "50" }), {}, 10)).toBe("MISS");
  expect(await secondOutcome(withHeaders({ ...life, date: "Wed, 31 Dec 2025 23:59:30 GMT" }), {}, 29)).toBe(
    "HIT",
  );
  expect(await secondOutcome(withHeaders({ ...life, date: "Wed, 31 Dec 2025 23:59:30 GMT" }), {}, 30)).toBe(
    "MISS",
  );
  expect(await secondOutcome(withHeaders({ ...life, date: "Fri, 02 Jan 2026 00:00:00 GMT" }), {}, 59)).toBe(
    "HIT",
  );
  expect(await secondOutcome(withHeaders({ ...life, age: "soon" }), {}, 59)).toBe("HIT");
});

test("X-Cache-TTL sets the freshness, and a malformed value prevents storing", async () => {
  expect(await secondOutcome(withHeaders({ "x-cache-ttl": "20" }), {}, 19)).toBe("HIT");
  expect(await secondOutcome(withHeaders({ "x-cache-ttl": "20" }), {}, 20)).toBe("MISS");
  expect(
    await secondOutcome(withHeaders({ "x-cache-ttl": "20", "cache-control": "max-age=5" }), {}, 19),
  ).toBe("HIT");
  expect(await secondOutcome(withHeaders({ "x-cache-ttl": "20", "cache-control": "private" }))).toBe("MISS");
  expect(await secondOutcome(withHeaders({ "x-cache-ttl": "soon" }))).toBe("MISS");
  expect(await secondOutcome(withHeaders({ "x-cache-ttl": "0" }))).toBe("MISS");
});

test("a reply with Vary: *, or with more than 16 names in Vary, is never stored", async () => {
  expect(await secondOutcome(withHeaders({ vary: "*" }))).toBe("MISS");
  expect(await secondOutcome(withHeaders({ vary: "accept, *" }))).toBe("MISS");
  const names = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`).join(", ");
  expect(await secondOutcome(withHeaders({ vary: names(16) }))).toBe("HIT");
  expect(await secondOutcome(withHeaders({ vary: names(17) }))).toBe("MISS");
});

test("a request with an identity gets only stored replies that are public, have s-maxage or are of a shared route", async () => {
  const { app, get } = cachedApp();
  app.get("/plain", () => "x");
  app.get("/public", () => new Response("x", { headers: { "cache-control": "public" } }));
  app.get("/s-maxage", () => new Response("x", { headers: { "cache-control": "s-maxage=60" } }));
  app.get("/shared", { cache: { shared: true } }, () => "x");
  const outcomes = async (path: string) => [
    (await get(path)).outcome,
    (await get(path, { cookie: "a=b" })).outcome,
    (await get(path, { authorization: "x" })).outcome,
  ];
  expect(await outcomes("/plain")).toEqual(["MISS", "BYPASS", "BYPASS"]);
  expect(await outcomes("/public")).toEqual(["MISS", "HIT", "HIT"]);
  expect(await outcomes("/s-maxage")).toEqual(["MISS", "HIT", "HIT"]);
  expect(await outcomes("/shared")).toEqual(["MISS", "HIT", "HIT"]);
});

test("a reply with a ttl of 0 and a validator is stored and revalidated each time", async () => {
  const { app, get } = cachedApp({ ttl: 0 });
  app.get("/", (request) =>
    request.getHeader("if-none-match") === null
      ? new Response("body", { headers: { etag: '"1"' } })
      : new Response(null, { status: 304 }),
  );
  expect([(await get("/")).outcome, (await get("/")).outcome]).toEqual(["MISS", "REVALIDATED"]);
});
