import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { hasBuiltin, nodeBuiltin } from "./node-builtins.ts";

const withoutProcess = <T>(replacement: unknown, run: () => T): T => {
  const original = Object.getOwnPropertyDescriptor(globalThis, "process") as PropertyDescriptor;
  Object.defineProperty(globalThis, "process", { value: replacement, configurable: true, writable: true });
  try {
    return run();
  } finally {
    Object.defineProperty(globalThis, "process", original);
  }
};

test("returns the typed module", () => {
  const joined: string = nodeBuiltin("node:path").join("a", "b");
  expect(joined).toBe(join("a", "b"));
  expect(typeof nodeBuiltin("node:fs/promises").open).toBe("function");
});

test("hasBuiltin checks for a module", () => {
  expect(hasBuiltin("node:path")).toBe(true);
  expect(withoutProcess(undefined, () => hasBuiltin("node:path"))).toBe(false);
});

test.each([
  ["without a process", undefined],
  ["with a process that has no modules", {}],
  ["where the module is unknown", { getBuiltinModule: () => undefined }],
])("throws an error with the module and the required runtime %s", (_where, process) => {
  const missing = () => withoutProcess(process, () => nodeBuiltin("node:fs"));
  expect(missing).toThrow(expect.objectContaining({ code: "CORE_NEEDS_NODE" }));
  expect(missing).toThrow(/node:fs.*Node 24/);
});
