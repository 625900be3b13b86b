import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { relativeUrl } from "./relative-url.ts";

const path = fc
  .array(fc.constantFrom("a", "b", "docs"), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join("/")}`);

test("a relative URL resolves from any path to any other, even with a proxy's prefix", () => {
  fc.assert(
    fc.property(path, path, fc.constantFrom("", "/api", "/x/y"), (from, to, prefix) => {
      const url = new URL(relativeUrl(from, to), `http://test.local${prefix}${from}`);
      expect(url.pathname).toBe(prefix + to);
    }),
  );
});
