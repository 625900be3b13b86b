import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { importClient } from "../api/generated-module.test-kit.ts";
import { generateClient } from "./generate-client.ts";
import { hostile, strange } from "./strange-document.test-kit.ts";

test("hostile names run no code and replace no member of the client", async () => {
  const createClient = await importClient(strange);
  await using client = createClient("http://127.0.0.1:1");
  const hostileNames = Object.keys(client).filter((name) => name.startsWith("process"));
  expect(hostileNames).toHaveLength(1);
  expect(Object.keys(client).toSorted()).toEqual(
    [
      "$close",
      "$closeOperation",
      "class",
      "class2",
      "deleteA",
      "proto",
      "thenOperation",
      "toStringOperation",
      "valueOfOperation",
      "hasOwnPropertyOperation",
    ]
      .concat(hostileNames)
      .toSorted(),
  );
  expect(Object.getPrototypeOf(client)).toBeNull();
});

/** Any character. Replaces fast-check's unit `binary`, which first builds a map of all characters and takes a second. */
const character = fc.nat({ max: 0x10f7ff }).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));

test("any strings of a document remain within literals and comments", () => {
  const word = fc.oneof(
    fc.string({ unit: character }),
    fc.constantFrom("*/", "//", "__proto__", "\n", "`${", hostile),
  );
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      const text = generateClient({
        openapi: "3.1.0",
        info: { title: a, version: b },
        paths: {
          [`/${a}`]: {
            get: {
              operationId: b,
              summary: c,
              parameters: [{ name: a, in: "query", schema: { enum: [c] } }],
              responses: { 200: { content: { [a]: {} } } },
            },
          },
        },
        components: {
          schemas: { [c]: { const: a } },
          securitySchemes: { [b]: { type: "apiKey", in: "header", name: a } },
        },
      });
      const bare = text
        .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, "S")
        .replaceAll(/\/\*(?:[^*]|\*(?!\/))*\*\//g, "")
        .replaceAll(/^\/\/.*$/gm, "");
      expect(bare).toMatch(/^[\w\s{}()[\]<>;:,.?=|&$-]*$/);
      expect(bare.split("\n").length).toBeLessThan(45);
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("a long comment is not truncated within a surrogate pair", () => {
  const title = "📚".repeat(60);
  const text = generateClient({ openapi: "3.1.0", info: { title, version: title } });
  expect(text).toMatch(/^\/\/ Written by framework-client from (?:📚){39}… (?:📚){14}…\./u);
  expect(text.isWellFormed()).toBe(true);
});
