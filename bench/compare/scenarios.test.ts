import { expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { contenders } from "./contenders.ts";
import { scenarios } from "./scenarios.ts";
import { workloads } from "../workloads/workloads.ts";

test("every server of a scenario has a program, and every scenario has a workload", () => {
  for (const { name, folder, servers } of scenarios) {
    expect(workloads.some(({ scenario = "routes" }) => scenario === name)).toBe(true);
    if (folder === undefined) continue;
    for (const server of servers ?? []) {
      const file = contenders.find((contender) => contender.name === server)?.file ?? "";
      expect([folder, file, existsSync(join(import.meta.dirname, "../servers", folder, file))]).toEqual([
        folder,
        file,
        true,
      ]);
    }
  }
});

test("every workload describes the caches of the servers", () => {
  expect(workloads.filter(({ cached = "" }) => cached === "")).toEqual([]);
});
