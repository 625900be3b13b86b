import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { HttpError } from "../errors/http-error.ts";
import { ValueError } from "../errors/http-errors.ts";
import { parseContentType } from "./content-type.ts";
import type { ParsedForm } from "./form-data.ts";
import { parseMultipart, readMultipart } from "./multipart.ts";
import {
  bytes,
  contentOf,
  END,
  field,
  file,
  parse,
  part,
  parseSplit,
  thrownBy,
  TYPE,
} from "./multipart-parts.test-kit.ts";

test("reads parts without content, whose boundary follows the empty line (RFC 2046 5.1.1)", async () => {
  const head = (more: string) => `--X\r\nContent-Disposition: form-data; ${more}\r\n\r\n`;
  const body = bytes(`${head('name="a"')}${head('name="f"; filename="x.png"')}${head('name="b"')}${END}`);
  for (let cut = 0; cut <= body.length; cut++)
    expect(await contentOf(parseSplit(body, [cut]))).toEqual({
      fields: [
        ["a", ""],
        ["b", ""],
      ],
      files: [["f", "x.png", expect.any(String), ""]],
    });
});

test("a part's content may begin like a boundary", async () => {
  const body = bytes(`${field("a", "--Y")}${field("b", "-")}${field("c", "--\r\n--Y")}${END}`);
  for (let cut = 0; cut <= body.length; cut++)
    expect((await contentOf(parseSplit(body, [cut, cut + 1]))).fields).toEqual([
      ["a", "--Y"],
      ["b", "-"],
      ["c", "--\r\n--Y"],
    ]);
  const limits = { maxFieldBytes: 3 };
  expect([...parse(`${field("a", "--Y")}${END}`, limits).form]).toEqual([["a", "--Y"]]);
});

test("reads fields and files in order", async () => {
  const body = `${field("a", "1")}${file("x.png", "\u0000\r\n--Y\r\n")}${field("a", "Zoë\r\n2")}${END}`;
  expect(await contentOf(parse(body))).toEqual({
    fields: [
      ["a", "1"],
      ["a", "Zoë\r\n2"],
    ],
    files: [["f", "x.png", "image/png", "\u0000\r\n--Y\r\n"]],
  });
});

test("parses a form as it arrives and closes the source at the first error", async () => {
  const chunksOf = async function* (text: string, seen: string[]) {
    try {
      for (const letter of text) yield bytes(letter);
      seen.push("all");
    } finally {
      seen.push("closed");
    }
  };
  const seen: string[] = [];
  const { form } = await readMultipart(chunksOf(field("a", "1") + END, seen), TYPE);
  expect([form.get("a"), ...seen]).toEqual(["1", "all", "closed"]);
  seen.length = 0;
  await expect(readMultipart(chunksOf(`${part("bad")}${END}`, seen), TYPE)).rejects.toThrow(ValueError);
  expect(seen).toEqual(["closed"]);
});

// Forms as browsers and `fetch` may send them: names of any characters, files of any bytes.
// Without double backslashes: the parser reads them as one, because some clients escape backslashes.
const name = fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\\\\"));
const filename = fc
  .string({ unit: fc.constantFrom(...'abcé ."%-_'.split("")), minLength: 1, maxLength: 12 })
  .filter((text) => text !== "." && text !== "..");
const content = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .string({ unit: fc.constantFrom("\r", "\n", "-", "--", "X", "\r\n--", "\r\n--X".slice(0, 4), "a") })
    .map(bytes),
);
const entry = fc.oneof(
  fc.record({ name, value: fc.string({ unit: "grapheme" }) }),
  fc.record({ name, filename, type: fc.constantFrom("image/png", "text/plain"), content }),
);
const cuts = fc.array(fc.nat(5000), { maxLength: 40 });

const encodeForm = (entries: readonly (typeof entry extends fc.Arbitrary<infer T> ? T : never)[]) => {
  const form = new FormData();
  for (const one of entries) {
    if ("value" in one) form.append(one.name, one.value);
    else
      form.append(
        one.name,
        new File([one.content as Uint8Array<ArrayBuffer>], one.filename, { type: one.type }),
      );
  }
  return new globalThis.Response(form);
};

test("agrees with the platform's parser on the platform's own output, however the body is split", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), cuts, async (entries, positions) => {
      const reply = encodeForm(entries);
      const body = new Uint8Array(await reply.clone().arrayBuffer());
      const type = parseContentType(reply.headers.get("content-type"));
      const oracle = { fields: [] as unknown[], files: [] as unknown[] };
      for (const [key, value] of (await reply.formData()).entries()) {
        if (typeof value === "string") oracle.fields.push([key, value]);
        else
          oracle.files.push([
            key,
            value.name,
            value.type,
            Buffer.from(await value.arrayBuffer()).toString("latin1"),
          ]);
      }
      expect(await contentOf(parseSplit(body, positions, type?.boundary ?? ""))).toEqual(oracle);
      expect(await contentOf(parseMultipart(body, type))).toEqual(oracle);
    }),
    { numRuns: 150 },
  );
});

test("parses a body identically when it is split into any two chunks, or into single bytes", async () => {
  const text = `pre\r\n--\r\n${field("a", "\r\n--\r\r\n-X\r\n--")}${file("x", "\r\r\n\r\n--Y--X")}--X-- \t\r\nrest --X`;
  const body = bytes(text);
  const whole = await contentOf(parseSplit(body, []));
  expect(whole.fields).toEqual([["a", "\r\n--\r\r\n-X\r\n--"]]);
  expect(whole.files).toHaveLength(1);
  for (let cut = 1; cut < body.length; cut++) expect(await contentOf(parseSplit(body, [cut]))).toEqual(whole);
  expect(await contentOf(parseSplit(body, [...body.keys()]))).toEqual(whole);
});

test("rejects a body truncated anywhere before the end of its last boundary with 400", () => {
  const body = `${field("a", "1")}${file("x.png", "content")}`;
  for (let length = 0; length < body.length + 5; length++) {
    const error = thrownBy(() => parse(`${body}${END}`.slice(0, length)));
    expect([length, error]).toEqual([length, expect.any(ValueError)]);
  }
  expect(parse(`${body}--X--`).form.get("a")).toBe("1");
  expect(thrownBy(() => parse(`${body}--X--\r`))).toBeInstanceOf(ValueError);
});

test("a mutated body results in an HttpError or a form", () => {
  const body = bytes(`${field("a", "1")}${file("x.png", "content")}${field("b", "2")}${END}`);
  const change = fc.tuple(
    fc.nat(body.length - 1),
    fc.oneof(fc.constantFrom(...bytes('\r\n-X";= \u0000')), fc.integer({ min: 0, max: 255 })),
  );
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), cuts, (changes, positions) => {
      const changed = body.slice();
      for (const [at, byte] of changes) changed[at] = byte;
      const result = thrownBy(() => parseSplit(changed, positions));
      expect(result instanceof HttpError || (result as ParsedForm).form.size >= 0).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
