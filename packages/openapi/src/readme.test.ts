import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { OpenapiConfig } from "./index.ts";
import { redoc, swaggerUi } from "./pages/bundle.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\|.*\| (`.+`|none) +\|$/gm)];
  const defaults = rows.map(([, name = "", value = ""]) => [
    name,
    value === "none" ? undefined : JSON.parse(value.slice(1, -1)),
  ]);
  expect(Object.fromEntries(defaults)).toEqual(OpenapiConfig.of());
});

test("the README has the versions of Swagger UI and Redoc", () => {
  expect(readme).toContain(`Swagger UI ${swaggerUi.version} and Redoc ${redoc.version}`);
});
