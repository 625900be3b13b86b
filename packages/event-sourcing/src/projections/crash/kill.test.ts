import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { killProjections } from "./kill.test-kit.ts";

test("processes killed while they run projections on SQLite leave a view that equals a fold of all events", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "killed-"));
  const { kills, events } = await killProjections(`sqlite://${join(folder.path, "events.db")}`);
  expect(kills).toBeGreaterThan(1);
  expect(events).toBeGreaterThan(1000);
});
