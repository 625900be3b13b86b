import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const program = fileURLToPath(new URL("./worker.test-program.ts", import.meta.url));

test.each([
  ["wait", "waits\n"],
  ["send", "MESSAGING_SEND_FAILED\n"],
])(
  "messaging keeps a process running while its server is unavailable: %s",
  async (part, expected) => {
    const child = spawn(process.execPath, ["--conditions=@framework/source", program, part], {
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [[code], printed] = await Promise.all([once(child, "exit"), text(child.stdout)]);
    expect([code, printed]).toEqual([0, expected]);
  },
  60_000,
);
