import { spawn } from "node:child_process";
import { join } from "node:path";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { serviceProject } from "../service.test-kit.ts";

test("a service stops gracefully after its command was killed, however long the shutdown takes", async () => {
  const cwd = serviceProject(
    'app.onEvent("shutdown", async () => { await new Promise((resolve) => setTimeout(resolve, 1000)); console.log("stopped gracefully"); });',
  );
  const probe = join(import.meta.dirname, "probe.ts");
  const child = spawn(
    process.execPath,
    ["--conditions=@framework/source", "--import", probe, "main.ts", "--host", "127.0.0.1", "--port", "0"],
    { cwd, env: plainEnvironment, stdio: ["ignore", "pipe", "inherit", "pipe"] },
  );
  let out = "";
  child.stdout?.on("data", (piece: Buffer) => (out += piece.toString()));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    await waitFor(() => out.includes('"listening"'), { timeoutMs: 60_000 });
    child.stdio[3]?.destroy(); // as when the command is killed
    expect(await exited).toBe(0);
    expect(out).toContain("stopped gracefully");
  } finally {
    child.kill("SIGKILL");
  }
});
