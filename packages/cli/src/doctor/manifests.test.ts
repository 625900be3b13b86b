import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readManifests } from "./manifests.ts";

test("a Compose service that gets its fields with a merge key is read", () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  writeFileSync(
    join(cwd, "compose.yaml"),
    `x-own: &own { build: . }
services:
  shop: { <<: *own, command: node src/main.ts }
`,
  );
  expect(readManifests(cwd).workloads).toMatchObject([{ place: "compose.yaml: service shop" }]);
});

test("a link that leads nowhere is skipped", () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  symlinkSync(join(cwd, "absent.yaml"), join(cwd, "link.yaml"));
  expect(readManifests(cwd)).toMatchObject({ workloads: [], unreadable: [] });
});
