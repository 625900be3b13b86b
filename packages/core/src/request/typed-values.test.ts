import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { App } from "../app.ts";
import { ValueError } from "../errors/http-errors.ts";
import { toBoolean, toFloat, toInt } from "./typed-values.ts";

const expectValueError = (run: () => unknown) => expect(run).toThrow(ValueError);

test("round-trips any safe integer and any finite number", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => expect(toInt(String(value))).toBe(value)));
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(finite, (value) => expect(toFloat(String(value))).toBe(Object.is(value, -0) ? 0 : value)),
  );
});

test("accepts leading zeros, and parses minus zero as zero", () => {
  expect([toInt("007"), toInt("-01"), toInt("-0")]).toEqual([7, -1, 0]);
  expect([toFloat("1.50"), toFloat("-1.5e3"), toFloat("2E-2"), toFloat("7")]).toEqual([1.5, -1500, 0.02, 7]);
});

test.each([
  "",
  " ",
  "1 ",
  " 1",
  "+1",
  "1.0",
  "1e3",
  "0x10",
  "1_000",
  "--1",
  "-",
  "abc",
  "٣",
  "9007199254740992",
  "1\n",
  "NaN",
  "9".repeat(50),
])("rejects %j as a whole number", (text) => expect(() => toInt(text)).toThrow(ValueError));

test.each([
  "",
  " ",
  "1.",
  ".5",
  "1e",
  "e5",
  "1e400",
  "-1e400",
  "NaN",
  "Infinity",
  "0x10",
  "1,5",
  "1.2.3",
  "1 ",
])("rejects %j as a number", (text) => expect(() => toFloat(text)).toThrow(ValueError));

test("parses booleans in any case and rejects other words", () => {
  expect(["true", "1", "YES", "On"].map((text) => toBoolean(text))).toEqual([true, true, true, true]);
  expect(["false", "0", "No", "oFF"].map((text) => toBoolean(text))).toEqual([false, false, false, false]);
  for (const text of ["", "2", "t", "truee", " true", "null"]) expectValueError(() => toBoolean(text));
});

test("names the parameter and quotes at most 40 characters of the value", () => {
  expect(() => toInt("abc", "page")).toThrow('Parameter "page" must be a whole number, but is "abc"');
  expect(() => toFloat("x")).toThrow('The value must be a number, but is "x"');
  expect(() => toBoolean("y".repeat(100), "on")).toThrow(
    /^Parameter "on" must be true or false, but is "y{39}…"$/,
  );
});

test("the 400 of a bad value escapes control and bidirectional format characters, and does not cut a surrogate pair", async () => {
  const app = new App();
  app.get("/books", ({ query }) => ({ page: toInt(query.get("page") ?? "", "page") }));
  const detailOf = async (value: string) => {
    const reply = await app.fetch(new Request(`http://localhost/books?page=${encodeURIComponent(value)}`));
    expect(reply.status).toBe(400);
    return ((await reply.json()) as { detail: string }).detail;
  };
  expect(await detailOf("\u009b31m\u007f\u202e\n\u001b")).toContain(
    String.raw`but is "\u009b31m\u007f\u202e\n\u001b"`,
  );
  expect(await detailOf(`${"a".repeat(38)}🙂 and more`)).toContain(`but is "${"a".repeat(38)}…"`);
  expect(await detailOf(`${"a".repeat(38)}🙂`)).toContain(`but is "${"a".repeat(38)}🙂"`);
});

test("rejects a long hostile text in linear time", () => {
  const start = process.cpuUsage();
  for (const text of ["1".repeat(1_000_000) + "x", `1.${"1".repeat(1_000_000)}x`]) {
    expectValueError(() => toInt(text));
    expectValueError(() => toFloat(text));
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
});
