import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

test("gRPC without its exporters is a start error that names the packages to install", () => {
  const program = join(import.meta.dirname, "grpc-missing.test-program.ts");
  const { stdout } = spawnSync(process.execPath, ["--conditions=@framework/source", program], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(JSON.parse(stdout)).toEqual({
    code: "TELEMETRY_NEEDS_GRPC",
    message: expect.stringMatching(/install both, or set `protocol`/),
  });
});
