import { mkdirSync, mkdtempDisposableSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readCode, storeCode } from "../../jest/stored-code.ts";

test("code is found again for the same text of a file, and for no other text", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "stored-code-"));
  const bundle = join(folder.path, "bundled-sources");
  mkdirSync(bundle);
  const file = join(bundle, "one.mjs");
  expect(readCode(file, "text 1")).toBeUndefined();
  storeCode(file, "text 1", Buffer.from("code 1"));
  expect(readCode(file, "text 1")?.toString()).toBe("code 1");
  expect(readCode(file, "text 2")).toBeUndefined();
  storeCode(file, "text 2", Buffer.from("code 2"));
  expect(readCode(file, "text 2")?.toString()).toBe("code 2");
  expect(readdirSync(bundle)).toHaveLength(1);
});

test("code of sources is not stored", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "stored-code-"));
  const file = join(folder.path, "one.ts");
  storeCode(file, "text", Buffer.from("code"));
  expect([readCode(file, "text"), readdirSync(folder.path)]).toEqual([undefined, []]);
});
