import { expect, test } from "@jest/globals";
import { loadAjv, loaded } from "./peers.ts";

test("a missing package is an error with the command that installs it", async () => {
  const cause = new Error("Cannot find package 'ajv'");
  await expect(loaded("ajv", () => Promise.reject(cause))).rejects.toMatchObject({
    code: "TESTING_MISSING_PACKAGE",
    message: "contractTest needs ajv: npm install --save-dev ajv",
    cause,
  });
});

test("an installed package is loaded", async () => {
  const Ajv = await loadAjv();
  expect(new Ajv().validate({ type: "string" }, "text")).toBe(true);
});
