import { expect, test } from "@jest/globals";
import { decodeDetails, encodeDetails } from "./status-details-codec.ts";

const retryAfter = (delayMs: number): Uint8Array => encodeDetails(14, "", [{ kind: "retryInfo", delayMs }]);

test("a retry delay is a valid Duration: nanoseconds stay below a second and have the sign of the seconds", () => {
  expect(retryAfter(1999.999_999_9)).toEqual(retryAfter(2000));
  expect(decodeDetails(retryAfter(1500.25))).toEqual([{ kind: "retryInfo", delayMs: 1500.25 }]);
  const minusOne = [8, 0xff]; // the tag of the seconds, and the first of their ten bytes
  expect([...retryAfter(-1500)].join()).toContain(minusOne.join());
});

test("texts of details that an untyped program omits are empty", () => {
  const bytes = encodeDetails(3, "", [
    { kind: "badRequest", violations: [{ field: "a" } as never] },
    { kind: "errorInfo", reason: null, domain: 5 } as never,
  ]);
  expect(decodeDetails(bytes)).toEqual([
    { kind: "badRequest", violations: [{ field: "a", description: "" }] },
    { kind: "errorInfo", reason: "", domain: "5", metadata: {} },
  ]);
});

test("lone surrogates in details are replaced, because gRPC strings are UTF-8", () => {
  const bytes = encodeDetails(3, "", [
    { kind: "badRequest", violations: [{ field: "a\ud800", description: "\udc00b" }] },
    { kind: "errorInfo", reason: "R\ud800", domain: "d\ud800", metadata: { "k\ud800": "v\ud800" } },
  ]);
  expect(decodeDetails(bytes)).toEqual([
    { kind: "badRequest", violations: [{ field: "a\ufffd", description: "\ufffdb" }] },
    { kind: "errorInfo", reason: "R\ufffd", domain: "d\ufffd", metadata: { "k\ufffd": "v\ufffd" } },
  ]);
});
