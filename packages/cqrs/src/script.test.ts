import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

test("the time limit of a call alone keeps a process running", async () => {
  const program = fileURLToPath(new URL("./script.test-program.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@framework/source", program], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [[code], printed] = await Promise.all([once(child, "exit"), text(child.stdout)]);
  expect([code, printed]).toEqual([0, "CQRS_TIMEOUT\nCQRS_TIMEOUT\n"]);
}, 60_000);
