import { expect, test } from "@jest/globals";
import { suggestions } from "./suggestions.ts";

const routes = [
  "GET /books",
  "POST /books",
  "GET /books/{id}",
  "PUT /books/{id}",
  "DELETE /books/{id}",
  "GET /books/{id}/reviews/{review}",
  "GET /files/{*rest}",
  "GET /health",
];

test.each([
  ["GET", "/book/1", ["GET /books/{id}"]],
  ["DELETE", "/book/1", ["DELETE /books/{id}"]],
  ["PATCH", "/book/1", ["GET /books/{id}"]],
  ["GET", "/Books", ["GET /books"]],
  ["POST", "/books/", ["POST /books"]],
  ["GET", "/books/12/review/3", ["GET /books/{id}/reviews/{review}"]],
  ["GET", "/file/a/b/c.txt", ["GET /files/{*rest}"]],
  ["GET", "/heath", ["GET /health"]],
  ["GET", "/completely/else", []],
  ["GET", "/books/12/reviews", []],
  ["GET", "//health", ["GET /health"]],
  ["GET", "/", []],
])("for %s %s suggests %j", (method, path, expected) => {
  expect(suggestions(method, path, routes)).toEqual(expected);
});

test("suggests at most three, the nearest first", () => {
  const near = ["GET /cat", "GET /cart", "GET /carts", "GET /card", "GET /care"];
  expect(suggestions("GET", "/car", near)).toHaveLength(3);
  expect(suggestions("GET", "/carts/", near)[0]).toBe("GET /carts");
});

test("considers at most 500 routes and paths of up to 128 characters", () => {
  const far = Array.from({ length: 500 }, (_, index) => `GET /x/${index}/something/quite/else`);
  expect(suggestions("GET", "/book", [...far.slice(1), "GET /books"])).toEqual(["GET /books"]);
  expect(suggestions("GET", "/book", [...far, "GET /books"])).toEqual([]);
  expect(suggestions("GET", `/${"a".repeat(127)}`, [`GET /${"a".repeat(126)}`])).toHaveLength(1);
  expect(suggestions("GET", `/${"a".repeat(128)}`, [`GET /${"a".repeat(127)}`])).toEqual([]);
});
