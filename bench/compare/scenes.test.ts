import { expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { contenders } from "./contenders.ts";
import { scenes } from "./scenes.ts";
import { workloads } from "./workloads.ts";

test("every server of a scene has a program for it, and every scene a workload", () => {
  for (const { name, folder, servers } of scenes) {
    expect(workloads.some(({ scene = "routes" }) => scene === name)).toBe(true);
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

test("every workload says what is remembered", () => {
  expect(workloads.filter(({ remembered = "" }) => remembered === "")).toEqual([]);
});
