import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { BodyStream, payloadLength, utf8Length } from "./payload.ts";
import { anyText } from "../http/testing/any-character.ts";

test("utf8Length counts the bytes that TextEncoder writes", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
    { numRuns: 300 },
  );
  const surrogates = fc
    .array(fc.constantFrom("\ud83d", "\ude00", "a", "é", "€"), { maxLength: 6 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(surrogates, (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});

test("payloadLength returns the length of the content, and null if it is unknown", () => {
  const chunks = (async function* () {})();
  const bodies = [null, "é", Uint8Array.of(1, 2), new BodyStream(chunks), new BodyStream(chunks, 7)];
  expect(bodies.map((body) => payloadLength(body))).toEqual([0, 2, 2, null, 7]);
});

test("cancel closes a started generator, and does nothing for an iterable that cannot be closed", async () => {
  let isClosed = false;
  const chunks = (async function* () {
    try {
      yield Uint8Array.of(1);
    } finally {
      isClosed = true;
    }
  })();
  await chunks.next();
  await new BodyStream(chunks).cancel();
  expect(isClosed).toBe(true);
  await new BodyStream({ [Symbol.asyncIterator]: () => chunks }).cancel();
});
