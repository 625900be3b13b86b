import { expect, test } from "@jest/globals";
import { redactionFor } from "./redaction.ts";

const request = new Request("http://localhost/notes?key=query-secret&page=12&word=tea%20pot", {
  method: "POST",
  headers: {
    authorization: "Bearer token-secret",
    cookie: 'session_id=cookie-secret; theme="dark mode"',
    "x-api-key": "key-secret",
    "accept-encoding": "gzip",
    origin: "https://shop.example",
  },
});
const body = JSON.stringify({
  user: "ann@example.com",
  pin: 123456,
  genre: "book",
  nested: [{ quote: 'a "quoted" one' }],
});
const redact = redactionFor(request, body);

test.each([
  ["no user ann@example.com", "no user (hidden)"],
  ["the key is query-secret", "the key is (hidden)"],
  ["token-secret, cookie-secret and key-secret", "(hidden), (hidden) and (hidden)"],
  ["session_id=cookie-secret", "(hidden)"],
  ["xxkey-secretxx", "xx(hidden)xx"],
  ["pin 123456 is wrong", "pin (hidden) is wrong"],
  ["tea pot, tea%20pot", "(hidden), (hidden)"],
  [String.raw`got "a \"quoted\" one"`, 'got "(hidden)"'],
  ["the circuit POST /books, genre book", "the circuit POST /books, genre (hidden)"],
  ["gzip for https://shop.example, page 12", "gzip for https://shop.example, page 12"],
])("%s becomes %s", (reason, shown) => {
  expect(redact(reason)).toBe(shown);
});

test("fields of a form, and a body of another kind, are hidden", () => {
  const plain = new Request("http://localhost/");
  expect(redactionFor(plain, "name=ann&word=form-secret")("form-secret")).toBe("(hidden)");
  expect(redactionFor(plain, "whole body")("got whole body")).toBe("got (hidden)");
});
