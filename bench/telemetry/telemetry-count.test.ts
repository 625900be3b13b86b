import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { selectModes } from "./modes.ts";

const { NODE_OPTIONS: _, ...env } = process.env;

test.each([
  ["--requests=json,jsn", "unknown request jsn; requests: varied, json"],
  ["--only=traces,booth", "unknown mode booth; modes: none, off, traces, metrics, both"],
])("%s is rejected before anything is counted", (flag, message) => {
  const program = join(import.meta.dirname, "telemetry-count.bench.ts");
  const { status, stderr } = spawnSync(process.execPath, ["--conditions=@framework/source", program, flag], {
    env,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});

test("the baseline is the server without the package, whatever is selected", () => {
  expect(selectModes(["traces", "both"])).toEqual(["none", "traces", "both"]);
  expect(selectModes(["off", "none"])).toEqual(["none", "off"]);
});
