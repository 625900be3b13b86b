import { expect, test } from "@jest/globals";
import { loadPeers } from "./peers.ts";

const missing = (name: string) => () => Promise.reject(new Error(`Cannot find package '${name}'`));

test.each([
  ["fast-check", { importFastCheck: missing("fast-check") }],
  ["ajv", { importAjv: missing("ajv") }],
])("when %s is missing the error has the command that installs it, and the cause", async (name, imports) => {
  await expect(loadPeers(imports)).rejects.toMatchObject({
    code: "TESTING_MISSING_PACKAGE",
    message: `contractTest needs ${name}: npm install --save-dev ${name}`,
    cause: new Error(`Cannot find package '${name}'`),
  });
});

test("when both packages are missing one command installs them", async () => {
  const imports = { importFastCheck: missing("fast-check"), importAjv: missing("ajv") };
  await expect(loadPeers(imports)).rejects.toMatchObject({
    code: "TESTING_MISSING_PACKAGE",
    message: "contractTest needs fast-check and ajv: npm install --save-dev fast-check ajv",
    cause: new Error("Cannot find package 'fast-check'"),
  });
});

test("installed packages are loaded", async () => {
  const { fc, Ajv } = await loadPeers();
  expect(new Ajv().validate({ type: "string" }, fc.sample(fc.string(), 1)[0])).toBe(true);
});
