import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { databaseInFile } from "@framework/database/testing";
import { expect, test } from "@jest/globals";

test("work and replays keep an otherwise idle process running", async () => {
  await using file = databaseInFile();
  const program = fileURLToPath(new URL("./scripts.test-program.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@framework/source", program, file.url], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [[code], printed] = await Promise.all([once(child, "exit"), text(child.stdout)]);
  expect([code, printed.split("\n").toSorted().join("\n")]).toEqual([
    0,
    '\nitem 1\nitem 2\nitem 3\n{"replayed":3,"failed":[]}',
  ]);
}, 60_000);
