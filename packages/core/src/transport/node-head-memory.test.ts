import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LimitsConfig } from "../config/limits-config.ts";
import { HttpError } from "../errors/http-error.ts";
import { NodeHeadMemory } from "./node-head-memory.ts";
import { type RawHead, readHead, type RequestHead } from "./request-head.ts";

const limits = LimitsConfig.of({ maxRequestLine: 256, maxHeaderSize: 1024 });

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

const read: NodeHeadMemory["headers"] = (message, readHeaders) => readHeaders(message);

test("reads the heads of a connection as if each were the first", () => {
  fc.assert(
    fc.property(fc.array(rawHead, { maxLength: 30 }), (heads) => {
      const memory = new NodeHeadMemory(limits);
      for (const [at, head] of heads.entries()) {
        const rawHeaders = [...head.fields];
        // Not always: node:http asks for them today, but need not.
        const headers = (at % 5 < 4 ? memory.headers.bind(memory) : read)({ rawHeaders }, lowerCased);
        expect(headers).toEqual(lowerCased({ rawHeaders }));
        expect(outcome(memory.read({ ...head, fields: rawHeaders }))).toEqual(
          outcome(readHead(head, limits)),
        );
      }
    }),
    { numRuns: 500 },
  );
});
