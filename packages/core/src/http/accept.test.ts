import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { accepts, namesType, preferredType } from "./accept.ts";

test.each([
  [null, "text/html", true],
  ["", "text/html", true],
  [" ", "text/html", true],
  ["*/*", "text/html", true],
  ["text/html", "text/html", true],
  ["TEXT/HTML", "text/html", true],
  ["text/html", "TEXT/html", true],
  ["text/*", "text/html", true],
  ["text/*", "textual/html", false],
  ["application/json", "text/html", false],
  ["text/html;q=0", "text/html", false],
  ["text/html;q=0.000, */*", "text/html", false],
  ["*/*;q=0, text/html;q=0.001", "text/html", true],
  ["*/*, text/*;q=0", "text/html", false],
  ["text/*, text/html;Q=0", "text/html", false],
  ["text/html;level=1", "text/html", false],
  ["text/html;level=1", "text/html;level=1", true],
  ["text/html;level=1;q=0, text/html", "text/html;level=1", false],
  ['text/html;a="x,y;z"', 'text/html;a="x,y;z"', true],
  ["text/html ; q=0.5 , a/b", "text/html", true],
  ["text/html;q=1.5", "text/html", false],
  ["text/html;q=0.1234", "text/html", false],
  ["text/html;q=", "text/html", false],
  ["*/html", "text/html", false],
  ["*", "text/html", false],
  [",,text/html,,", "text/html", true],
  ['text/html;a="unclosed, */*', "text/html", false],
  ["text/html", "not a type", false],
])("Accept %j accepts %s: %s", (header, type, expected) => {
  expect(accepts(header, type)).toBe(expected);
});

test("prefers the highest weight, then the server's order", () => {
  const types = ["application/json", "text/html", "text/plain"];
  expect(preferredType(null, types)).toBe("application/json");
  expect(preferredType("*/*", types)).toBe("application/json");
  expect(preferredType("text/html, application/json", types)).toBe("application/json");
  expect(preferredType("text/*;q=0.8, application/json;q=0.7", types)).toBe("text/html");
  expect(preferredType("text/*;q=0.8, text/html;q=0.1, text/plain", types)).toBe("text/plain");
  expect(preferredType("image/png", types)).toBeNull();
  expect(preferredType("*/*;q=0", types)).toBeNull();
  expect(preferredType("*/*", [])).toBeNull();
});

test("uses the higher weight of a repeated range", () => {
  expect(preferredType("a/b;q=0.2, c/d;q=0.5, a/b;q=0.9", ["c/d", "a/b"])).toBe("a/b");
  expect(preferredType("a/b;q=0.9, c/d;q=0.5, a/b;q=0.2", ["c/d", "a/b"])).toBe("a/b");
});

test.each([
  [null, false],
  ["*/*", false],
  ["application/*", false],
  ["application/problem+json", true],
  ["text/html, Application/Problem+JSON;q=0.1", true],
  ["application/problem+json;q=0", false],
  ["application/problem+json;q=x", false],
  ["application/problem+jsonx", false],
  ['text/html;a="application/problem+json"', false],
])("Accept %j names the problem type: %s", (header, expected) => {
  expect(namesType(header, "application/problem+json")).toBe(expected);
});

test("agrees with the weights that the field was generated from", () => {
  const ranges = ["*/*", "a/*", "a/b", "a/c", "d/e"];
  const weights = fc.dictionary(fc.constantFrom(...ranges), fc.integer({ min: 0, max: 1000 }), {
    minKeys: 1,
  });
  fc.assert(
    fc.property(weights, (given) => {
      const header = Object.entries(given)
        .map(([range, q]) => `${range};q=${(q / 1000).toFixed(3)}`)
        .join(", ");
      const weight = (type: string) => given[type] ?? given[type.replace(/\/.*/, "/*")] ?? given["*/*"] ?? 0;
      for (const type of ["a/b", "a/c", "a/x", "d/e", "d/x"]) {
        expect(accepts(header, type)).toBe(weight(type) > 0);
      }
      const chosen = preferredType(header, ["a/b", "d/e"]);
      const [first, second] = [weight("a/b"), weight("d/e")];
      expect(chosen).toBe(Math.max(first, second) === 0 ? null : first >= second ? "a/b" : "d/e");
    }),
  );
});

test("parses a long hostile field in linear time", () => {
  const time = (header: string) => {
    const start = process.cpuUsage();
    for (let run = 0; run < 5; run++) accepts(header, "text/html");
    return process.cpuUsage(start).user / 1000;
  };
  for (const unit of [";", " ", ",", '"', "a/b;q=0,", ';a="\\']) {
    expect(time(`a/b${unit.repeat(Math.ceil(200_000 / unit.length))}x`)).toBeLessThan(2000);
  }
});
