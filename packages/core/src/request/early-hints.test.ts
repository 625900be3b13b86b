import { expect, test } from "@jest/globals";
import { type EarlyHints, hintLines } from "./early-hints.ts";

test("each value becomes a line; a number becomes text", () => {
  const fields = { link: ["</a.css>; rel=preload", " </b.js>; rel=preload "], "X-Count": 2 };
  expect(hintLines(fields as unknown as EarlyHints)).toEqual([
    "link",
    "</a.css>; rel=preload",
    "link",
    "</b.js>; rel=preload",
    "X-Count",
    "2",
  ]);
  expect(hintLines({ link: [] })).toEqual([]);
});

test.each<[string, object]>([
  ["no token", { "a b": "x" }],
  ["a field of message framing", { "Transfer-Encoding": "chunked" }],
  ["a line break", { link: "</a>\r\nx: y" }],
  ["an undefined value", { link: undefined }],
  ["null in a list", { link: ["</a>", null] }],
])("%s is rejected with CORE_BAD_HEADER", (_name, fields) => {
  expect(() => hintLines(fields as EarlyHints)).toThrow(expect.objectContaining({ code: "CORE_BAD_HEADER" }));
});
