import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { selectTransports } from "./service-report.ts";

const { NODE_OPTIONS: _, ...env } = process.env;

test.each(["soak.bench.ts", "../slow/slow.bench.ts"])(
  "%s rejects an unknown transport before anything is measured",
  (program) => {
    const args = ["--conditions=@framework/source", join(import.meta.dirname, program), "1", "fats"];
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("unknown transport fats; transports: fast, node");
  },
);

test("all transports are measured by default", () => {
  expect(selectTransports(undefined)).toEqual(["fast", "node"]);
  expect(selectTransports("node")).toEqual(["node"]);
});
