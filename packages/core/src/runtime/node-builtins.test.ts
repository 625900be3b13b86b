import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { hasBuiltin, nodeBuiltin } from "./node-builtins.ts";

const withProcess = <T>(replacement: unknown, run: () => T): T => {
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
  expect(withProcess(undefined, () => hasBuiltin("node:path"))).toBe(false);
});

test.each([
  ["no process", undefined],
  ["a process that has no modules", {}],
  ["a process that does not know the module", { getBuiltinModule: () => undefined }],
])("with %s, throws an error that names the module and the required runtime", (_process, process) => {
  const load = () => withProcess(process, () => nodeBuiltin("node:fs"));
  expect(load).toThrow(expect.objectContaining({ code: "CORE_NEEDS_NODE" }));
  expect(load).toThrow(/node:fs.*Node 24/);
});
