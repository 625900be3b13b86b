import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { canonicalise } from "./canonical-path.ts";
import { Router } from "./router.ts";

interface Route {
  readonly method: string;
  readonly parts: readonly string[];
}

const kinds = { static: 0, param: 1, wildcard: 2 };
const kindOf = (part: string): keyof typeof kinds =>
  part.startsWith("{*") ? "wildcard" : part.startsWith("{") ? "param" : "static";

/** The decoded parameters by position if the route matches, else null: a naive implementation of the documented rules. */
const valuesOf = (parts: readonly string[], segments: readonly string[]): string[] | null => {
  const [part, ...laterParts] = parts;
  const [segment, ...laterSegments] = segments;
  if (part === undefined || segment === undefined) return parts.length === segments.length ? [] : null;
  if (kindOf(part) === "wildcard") return segments.join("/") === "" ? null : [segments.join("/")];
  if (kindOf(part) === "param" ? segment === "" : segment !== part) return null;
  const rest = valuesOf(laterParts, laterSegments);
  return rest === null ? null : kindOf(part) === "param" ? [segment, ...rest] : rest;
};

const rank = ({ parts }: Route): string => parts.map((part) => kinds[kindOf(part)]).join("");

const shape = ({ method, parts }: Route): string =>
  `${method} ${parts.map((part) => (kindOf(part) === "static" ? part : kindOf(part))).join("/")}`;

const findNaively = (routes: readonly Route[], method: string, segments: readonly string[]) => {
  const implied = routes
    .filter((route) => route.method === "GET")
    .map((route) => ({ ...route, method: "HEAD" }))
    .filter((route) => !routes.some((other) => shape(other) === shape(route)));
  const [best] = [...routes, ...implied]
    .filter((route) => route.method === method && valuesOf(route.parts, segments) !== null)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return best === undefined ? null : { path: pathOf(best), values: valuesOf(best.parts, segments) };
};

const pathOf = ({ parts }: Route): string => `/${parts.join("/")}`;

const staticPart = fc.constantFrom("a", "a", "b", "c", "", "ö", "a b", "%");
const parts = fc
  .tuple(
    fc.array(fc.oneof(staticPart, staticPart, fc.constant("{}")), { maxLength: 4 }),
    fc.constantFrom("", "", "a", "{}", "{*}"),
  )
  .map(([head, last]) => [...head, last].map((part, index) => part.replace("}", `p${index}}`)));
const method = fc.constantFrom("GET", "GET", "POST", "HEAD");
const routeSet = fc.uniqueArray(fc.record({ method, parts }), { maxLength: 24, selector: shape });
const path = fc.array(fc.constantFrom("a", "a", "b", "", "ö", "a b", "%", "x/y", "zz"), {
  minLength: 1,
  maxLength: 6,
});

const targetOf = (segments: readonly string[]): string => `/${segments.map(encodeURIComponent).join("/")}`;

test("finds the same route as a naive matcher, for every method and order of registration", () => {
  fc.assert(
    fc.property(routeSet, fc.array(path, { minLength: 4, maxLength: 12 }), (routes, paths) => {
      const router = new Router<string>();
      for (const route of routes) {
        expect(router.add(route.method, pathOf(route), pathOf(route), { toString: () => "" })).toBeNull();
      }
      for (const segments of paths) {
        const target = canonicalise(targetOf(segments));
        const allowed = new Set<string>();
        for (const requested of ["GET", "POST", "HEAD"]) {
          const match = router.find(requested, target);
          const expected = findNaively(routes, requested, segments);
          expect(match && { path: match.value, values: Object.values(match.params) }).toEqual(expected);
          if (expected !== null) allowed.add(requested).add("OPTIONS");
        }
        expect(router.allowedMethods(target)).toEqual([...allowed].sort());
      }
    }),
    { numRuns: 300 },
  );
});

test("stays fast for route sets designed to cause excessive backtracking", () => {
  const router = new Router<number>();
  const depth = 62;
  for (let level = 0; level < depth; level++) {
    for (const [index, text] of ["a", "b"].entries()) {
      const parts = Array.from({ length: depth }, (_, at) => (at === level ? text : `{p${at}}`));
      router.add("GET", `/${parts.join("/")}/end`, index, { toString: () => "" });
    }
  }
  const target = canonicalise(`${"/a".repeat(depth)}/miss`);
  const start = process.cpuUsage();
  for (let round = 0; round < 100; round++) expect(router.find("GET", target)).toBeNull();
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
});

test("stays fast if 4,096 routes share static and parameter segments", () => {
  const router = new Router<string>();
  const depth = 12;
  for (let bits = 0; bits < 2 ** depth; bits++) {
    const parts = Array.from({ length: depth }, (_, at) => ((bits >> at) & 1 ? "a" : `{p${at}}`));
    router.add("GET", `/${parts.join("/")}/end`, String(bits), { toString: () => "" });
  }
  const start = process.cpuUsage();
  for (let round = 0; round < 20; round++) {
    expect(router.find("GET", canonicalise(`${"/a".repeat(depth)}/miss`))).toBeNull();
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
  expect(router.find("GET", canonicalise(`${"/a".repeat(depth)}/end`))?.value).toBe(String(2 ** depth - 1));
});
