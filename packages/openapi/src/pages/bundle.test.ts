import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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

test("a file is cached once it was read, and read again after a failure", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bundle-"));
  const path = join(folder.path, "a.css");
  const read = bundleReader({ ...swaggerUi, name: "test", origin: () => folder.path });
  await expect(read("a.css")).rejects.toThrow("ENOENT");
  writeFileSync(path, "a{}");
  const file = await read("a.css");
  writeFileSync(path, "b{}");
  expect(await read("a.css")).toBe(file);
});
