import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseContentType } from "./content-type.ts";
import { fieldsOf, peekBody } from "./peek-form.ts";
import { type BodySource, readBody } from "./read-body.ts";

/** A body that arrives in chunks. `seen` counts the bytes read, and records whether the source was closed. */
const chunkedBody = (body: Uint8Array, sizes: readonly number[], isKnown: boolean) => {
  const seen = { read: 0, closed: false };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0, turn = 0; at < body.byteLength; turn++) {
        const chunk = body.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
        at += chunk.byteLength;
        seen.read += chunk.byteLength;
        yield chunk;
      }
    } finally {
      seen.closed = true;
    }
  }
  const source: BodySource = { bodyLength: isKnown ? body.byteLength : null, buffered: null, chunks };
  return { source, seen };
};

const multipart = parseContentType("multipart/form-data; boundary=b");
const urlencoded = parseContentType("application/x-www-form-urlencoded");
const encoder = new TextEncoder();

const asMultipart = (fields: readonly (readonly [string, string])[]): Uint8Array =>
  encoder.encode(
    `${fields
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join("")}--b--\r\n`,
  );

const word = fc.stringMatching(/^[a-zé]{0,12}$/);
const form = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), word), { minLength: 1, maxLength: 6 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test("a later reader gets the whole body, and the first fields are a prefix of all fields", async () => {
  await fc.assert(
    fc.asyncProperty(
      form,
      sizes,
      fc.nat(300),
      fc.boolean(),
      fc.boolean(),
      async (fields, cuts, maxBytes, isKnown, isMultipart) => {
        const body = isMultipart
          ? asMultipart(fields)
          : encoder.encode(new URLSearchParams(fields.map(([k, v]) => [k, v])).toString());
        const { source: from, seen } = chunkedBody(body, cuts, isKnown);
        const { beginning, source } = peekBody(from, maxBytes, 1_000_000);
        const start = await beginning;
        expect(seen.read).toBeLessThanOrEqual(maxBytes + 41);
        expect(start.isWhole).toBe(body.byteLength <= maxBytes);
        const found = [...fieldsOf(isMultipart ? multipart : urlencoded, start)];
        expect(found).toEqual(fields.slice(0, found.length));
        expect(start.isWhole ? found.length : fields.length).toBe(fields.length);
        expect(Buffer.from(await readBody(source, 1_000_000))).toEqual(Buffer.from(body));
      },
    ),
    { numRuns: 200 },
  );
});

test("a later reader that stops early closes the source", async () => {
  const { source: from, seen } = chunkedBody(new Uint8Array(100), [10], true);
  const { beginning, source } = peekBody(from, 20, 1000);
  await beginning;
  for await (const chunk of source.chunks()) if (chunk.byteLength > 0) break;
  expect([seen.closed, seen.read]).toEqual([true, 30]);
});

test("a buffered body is not copied, and a body over the limit is not read", async () => {
  const buffered = encoder.encode("a=1&b=2");
  const source: BodySource = {
    bodyLength: buffered.byteLength,
    buffered,
    chunks: () => {
      throw new Error("read");
    },
  };
  const peeked = peekBody(source, 4, 100);
  expect([...fieldsOf(urlencoded, await peeked.beginning)]).toEqual([["a", "1"]]);
  expect(peeked.source).toBe(source);
  expect(() => peekBody(source, 4, 6)).toThrow("6");
});
