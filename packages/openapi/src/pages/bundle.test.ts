import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { bundleReader, redoc, swaggerUi } from "./bundle.ts";

test.each([swaggerUi, redoc])("$name has its stated version and all its files", (bundle) => {
  const origin = bundle.origin();
  const { version } = JSON.parse(readFileSync(join(origin, "package.json"), "utf8")) as { version: string };
  expect(version).toBe(bundle.version);
  const files = ["LICENSE", ...bundle.files.map((file) => join(bundle.folder, file))];
  expect(files.filter((file) => !existsSync(join(origin, file)))).toEqual([]);
});

test("the replaced text occurs exactly once in the bundle", () => {
  for (const [text] of redoc.replacements) {
    const source = readFileSync(join(redoc.origin(), redoc.folder, "redoc.standalone.js"), "utf8");
    expect(source.split(text)).toHaveLength(2);
  }
});

test("a file is read once, on first request, and read again after a failure", async () => {
  const read = bundleReader(swaggerUi);
  expect(await read("swagger-ui.css")).toBe(await read("swagger-ui.css"));
  await expect(read("absent.css")).rejects.toThrow("ENOENT");
  await expect(read("absent.css")).rejects.toThrow("ENOENT");
});
