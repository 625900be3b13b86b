import { spawnSync } from "node:child_process";
import { bundledProgram } from "@framework/bundled-sources";
import { eventually } from "@framework/conformance";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { http2Errors } from "./error-codes.ts";

const program = bundledProgram(new URL("./unserved.test-program.ts", import.meta.url));
const [code] = Object.keys(http2Errors);

test("a service with neither TLS nor h2c warns at start, and names the remedy", async () => {
  await using service = await startProgram(program, {
    conditions: ["@framework/source"],
    timeoutMs: 60_000,
    stopTimeoutMs: 30_000,
  });
  const warning = (): string | undefined =>
    service
      .output()
      .split("\n")
      .find((line) => line.includes(code ?? "none"));
  await eventually(() => warning() !== undefined, "the warning");
  expect(warning()).toMatch(/"level":"warn".*no TLS.*tls.*h2c: true/);
  expect((await fetch(service.url)).status).toBe(404);
});

test.each([
  ["false", [code]],
  ["true", []],
])("--check with h2c %s reports the warnings %j", (h2c, codes) => {
  const { stdout } = spawnSync(process.execPath, ["--conditions=@framework/source", program, "--check"], {
    env: { PATH: process.env["PATH"], H2C: h2c, HOST: "127.0.0.1" }, // in a container the default host causes a warning
    encoding: "utf8",
  });
  const { warnings } = JSON.parse(stdout) as { readonly warnings: readonly { readonly code: string }[] };
  expect(warnings.map((each) => each.code)).toEqual(codes);
});
