import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LimitsConfig } from "../../config/limits-config.ts";
import { HttpError } from "../../errors/http-error.ts";
import { NodeHeadCache } from "./node-head-cache.ts";
import { type RawHead, readHead, type RequestHead } from "../wire/request-head.ts";

const limits = LimitsConfig.of({ maxRequestLine: 256, maxHeaderBytes: 1024 });

const rawHead: fc.Arbitrary<RawHead> = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "OPTIONS"),
  target: fc.constantFrom(
    "/",
    "/a",
    "/a?b",
    "*",
    "http://b/x",
    "http://b:1",
    "/#",
    "x",
    `/${"x".repeat(20)}`,
  ),
  major: fc.constantFrom(1, 1, 1, 2),
  minor: fc.constantFrom(1, 1, 1, 0),
  fields: fc.constantFrom(
    ["Host", "a"],
    ["Host", "a", "Content-Length", "3"],
    ["Host", "a", "Expect", "100-continue", "Content-Length", "3"],
    ["Host", "a", "Connection", "close"],
    ["Host", "a", "Transfer-Encoding", "chunked"],
    ["Host", "a,b"],
    ["Host", "a", "X", "x".repeat(200)],
    [],
  ),
});

const outcome = (head: RequestHead | HttpError): unknown =>
  head instanceof HttpError ? [head.status, head.detail] : head;

const lowerCased = ({ rawHeaders }: { readonly rawHeaders: string[] }) => {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers[rawHeaders[at]?.toLowerCase() ?? ""] = rawHeaders[at + 1] ?? "";
  return headers;
};

const read: NodeHeadCache["headers"] = (message, readHeaders) => readHeaders(message);

test("validates every head of a connection like the first", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(rawHead, fc.nat(1)), { maxLength: 30 }), (heads) => {
      const caches = [new NodeHeadCache(limits), new NodeHeadCache(limits)];
      for (const [at, [head, connection]] of heads.entries()) {
        const cache = caches[connection] as NodeHeadCache;
        const message = { rawHeaders: [...head.fields], cachedFields: null };
        // Not always: node:http reads `headers` today, but need not.
        const headers = (at % 5 < 4 ? cache.headers.bind(cache) : read)(message, lowerCased);
        expect(headers).toEqual(lowerCased(message));
        Object.assign(headers, { "x-forged": "yes" });
        const fields = [...message.rawHeaders];
        message.rawHeaders.push("X-Forged", "yes"); // a tool's change to its message must not change the cache
        expect(outcome(cache.read({ ...head, fields }, message.cachedFields ?? undefined))).toEqual(
          outcome(readHead(head, limits)),
        );
      }
    }),
    { numRuns: 500 },
  );
});
