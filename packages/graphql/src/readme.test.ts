import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { GraphQLConfig } from "./index.ts";
import { GRAPHIQL_VERSION } from "./page/bundle.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const [, section = ""] = readme.split("## Options");
  const rows = [...section.matchAll(/^\| `(\w+)` +\|.*\| (`.+`|.+?) +\|$/gm)];
  const defaults = rows.map(([, name = "", value = ""]) => [
    name,
    value.startsWith("`") ? JSON.parse(value.slice(1, -1)) : undefined,
  ]);
  expect(Object.fromEntries(defaults)).toEqual(GraphQLConfig.of());
});

test("package.json and the page's URLs have the same version of GraphiQL's bundle", () => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(manifest).toContain(`"@graphql-yoga/render-graphiql": "${GRAPHIQL_VERSION}"`);
});
