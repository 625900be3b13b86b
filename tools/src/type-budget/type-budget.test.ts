import { beforeAll, expect, test } from "@jest/globals";
import { buildPackages } from "../built-packages.ts";
import { root } from "../root.ts";
import { countInstantiations } from "./count-instantiations.ts";
import { manyComposedRoutes, manyRoutes, manyFullAppRoutes } from "./many-routes.ts";

beforeAll(() => buildPackages(root), 300_000); // a full build takes a minute

const ROUTES = 200;
const BUDGET = 20_000;

test.each([
  ["of core", manyRoutes],
  ["with options of features", manyComposedRoutes],
  ["of the App with every feature", manyFullAppRoutes],
])(`${ROUTES} routes %s need at most ${BUDGET} type instantiations`, (_kind, program) => {
  const cost = countInstantiations(root, program(ROUTES)) - countInstantiations(root, program(0));
  console.log(`${(cost / ROUTES).toFixed(1)} instantiations per route`);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThanOrEqual(BUDGET);
});

test("counting throws for a program that does not compile", () => {
  expect(() => countInstantiations(root, 'export const wrong: number = "two";\n')).toThrow("TS2322");
});
