import { App } from "@framework/core";
import type { AnyFeature } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { type ToggleName, toggleNames, toggles } from "./toggles.test-kit.ts";

/** Number of routes that a feature adds when the tests enable it. */
const ownRoutes: Readonly<Partial<Record<ToggleName, number>>> = { staticFiles: 3, commands: 3 };

/** Measures the stack depth of a handler; each middleware adds at least one frame. */
const measureDepth = async (
  enabled: readonly ToggleName[],
  installed: readonly ToggleName[],
): Promise<number> => {
  class Installed extends App {
    static override readonly features = installed.flatMap(
      (name): readonly AnyFeature[] => toggles[name].features,
    );
  }
  const app = new Installed();
  for (const name of enabled) toggles[name].enable(app, () => {});
  let depth = 0;
  app.get("/", () => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    depth = new Error("where").stack?.split("\n").length ?? 0;
    Error.stackTraceLimit = stackTraceLimit;
  });
  await app.start({ env: "production", debug: false });
  await app.fetch(new Request("http://localhost/"));
  expect(enabled.length > 0 ? [] : Object.keys(app.snapshot())).toEqual([]);
  expect(app.routes.length).toBe(1 + enabled.reduce((sum, name) => sum + (ownRoutes[name] ?? 0), 0));
  await app.stop();
  return depth;
};

test("a disabled feature adds no function to the path of a request", async () => {
  const bare = await measureDepth([], []);
  expect(bare).toBeGreaterThan(0);
  expect(await measureDepth([], toggleNames)).toBe(bare);
});

test.each(toggleNames.filter((name) => name !== "staticFiles").map((name) => [name]))(
  "an enabled %s adds a function to the path of a request",
  async (name) => {
    expect(await measureDepth([name], toggleNames)).toBeGreaterThan(await measureDepth([], toggleNames));
  },
);
