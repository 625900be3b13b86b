import type { Edition, Verdict } from "./run-suite.test-kit.ts";

/** Tests that the cache fails by design. The README's table has the same rows. */
export interface ExpectedFailure {
  /** Ids, with alternatives in braces. */
  readonly tests: string;
  readonly reason: string;
  /** The only edition with these tests, or with these expectations. */
  readonly only?: Edition["name"];
}

export const expectedFailures: readonly ExpectedFailure[] = [
  {
    tests: "heuristic-{200,203,204,404,405,410,414,501,599}-cached",
    reason:
      "There is no heuristic freshness: `ttl` is the lifetime of replies without explicit freshness, and the suite requires `ttl: 0`",
  },
  {
    tests: "partial-store-partial-{complete,reuse-partial{,-absent,-byterange,-suffix}}",
    reason: "A 206 is not stored: ranges are cut from complete replies",
  },
  {
    tests: "{headers-store-Set-Cookie,other-set-cookie}",
    reason: "A reply with `Set-Cookie` is for one client and never stored (RFC 9111 7.3)",
  },
  {
    tests: "other-cookie",
    reason: "A cookie is an identity: only `public` or `s-maxage` shares the reply",
  },
  {
    tests: "other-authorization-must-revalidate",
    reason:
      "Handlers send `must-revalidate` against stale replies, not to share a user's reply, which RFC 9111 3.5 permits",
  },
  {
    tests: "method-POST",
    reason: "A reply to POST is not stored for GET, whose route has its own options for the cache",
  },
  {
    tests: "vary-normalise-lang-order",
    reason: "Many handlers treat the order of languages with equal weights as the order of preference",
  },
  {
    tests: "vary-normalise-lang-select",
    reason: "The cache does not know which languages a handler has",
  },
  {
    tests: "conditional-lm-fresh-no-lm",
    reason:
      "The stored reply is newer than the client's, so 304 would be wrong: contrary to its title, this test has a `Last-Modified`",
  },
  {
    tests: "invalidate-M-SEARCH{,-failed}",
    reason: "Requests with unknown methods get 501 without a handler, so they change nothing",
  },
  {
    only: "repository",
    tests: "interim-102",
    reason: "Handlers can send 103, but not 102, an obsolete status of WebDAV",
  },
  {
    only: "npm",
    tests: "invalidate-M-SEARCH-cl",
    reason: "As for `invalidate-M-SEARCH`",
  },
  {
    only: "npm",
    tests: "304-etag-update-response-{Content-MD5,Content-Type}",
    reason:
      "A 304 updates `Content-MD5`, and not `Content-Type`, which belongs to the stored body (RFC 9111 3.2); no longer required",
  },
  {
    only: "npm",
    tests: "304-etag-update-response-ETag",
    reason:
      "A 304 with another `ETag` is for another reply, so the stored one is dropped (RFC 9111 4.3.4); no longer required",
  },
  {
    only: "npm",
    tests: "304-etag-update-response-Set-Cookie",
    reason: "As for `other-set-cookie`; no longer required",
  },
  {
    only: "npm",
    tests:
      "age-parse-{dup-0{,-twoline},dup-old,float,negative,nonnumeric,numeric-parameter,parameter,prefix-twoline}",
    reason:
      "A malformed `Age` is ignored, and the first of several counts (RFC 9111 5.1): this edition expects the opposite",
  },
  {
    only: "npm",
    tests: "stale-close-{must-revalidate,no-cache,proxy-revalidate,s-maxage=2}",
    reason: "The client gets an error, as required: this edition mistakes errors for stored replies",
  },
];

/** Expands the alternatives of a pattern: `a{,b,c{d,e}}` for `a`, `ab`, `acd` and `ace`. */
const expand = (pattern: string): readonly string[] => {
  const found = /^(.*)\{([^{}]*)\}(.*)$/.exec(pattern);
  if (found === null) return [pattern];
  const [, before = "", alternatives = "", after = ""] = found;
  return alternatives.split(",").flatMap((text) => expand(`${before}${text}${after}`));
};

/** Returns the differences from `expectedFailures`: unlisted failures, and listed tests that pass. */
export const differences = (edition: Edition["name"], verdicts: readonly Verdict[]): readonly string[] => {
  const listed = new Set(
    expectedFailures.flatMap(({ tests, only }) =>
      only === undefined || only === edition ? expand(tests) : [],
    ),
  );
  const failed = verdicts.filter(({ kind, failure }) => kind !== "check" && failure !== null);
  const ids = new Set(failed.map(({ id }) => id));
  return [
    ...failed.filter(({ id }) => !listed.has(id)).map(({ id, failure }) => `${id} fails: ${failure}`),
    ...[...listed].filter((id) => !ids.has(id)).map((id) => `${id} is listed but passes, or does not exist`),
  ];
};

/** Returns the number of passed tests in the README's format, such as `3 of 4`. */
export const countPassed = (verdicts: readonly Verdict[], kind: Verdict["kind"]): string => {
  const all = verdicts.filter((verdict) => verdict.kind === kind);
  return `${all.filter(({ failure }) => failure === null).length} of ${all.length}`;
};
