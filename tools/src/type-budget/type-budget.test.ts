import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { countInstantiations } from "./count-instantiations.ts";
import { manyRoutes } from "./many-routes.ts";

const ROUTES = 200;
const BUDGET = 20_000;

test(`${ROUTES} routes cost the compiler at most ${BUDGET} instantiations`, () => {
  const cost = countInstantiations(root, manyRoutes(ROUTES)) - countInstantiations(root, manyRoutes(0));
  console.log(`${(cost / ROUTES).toFixed(1)} instantiations per route`);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThanOrEqual(BUDGET);
}, 60_000);

test("a program that does not compile has no count", () => {
  expect(() => countInstantiations(root, 'export const wrong: number = "two";\n')).toThrow("TS2322");
});
