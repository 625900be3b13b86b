import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

test.each([
  ["delayed", "handled 1\n"],
  ["tries", "try 1\ntry 2\n"],
  ["connecting", "handled 1\n"],
  ["signal", "stopped\n"],
  ["request", "failed with MESSAGING_NO_REPLY\n"],
  ["send", "failed with MESSAGING_SEND_FAILED\nfailed with MESSAGING_SEND_FAILED\n"],
])(
  "messaging keeps a process running: %s",
  async (part, expected) => {
    const program = fileURLToPath(new URL("./scripts.test-program.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=@framework/source", program, part], {
      env: { ...process.env, NODE_OPTIONS: "" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [[code], printed] = await Promise.all([once(child, "exit"), text(child.stdout)]);
    expect([code, printed]).toEqual([0, expected]);
  },
  60_000,
);
