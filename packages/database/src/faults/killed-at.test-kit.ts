import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Crash } from "../testing.ts";

const moduleUrl = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

const program = `
import { openDatabase } from ${moduleUrl("../index.ts")};
import { faultingDatabase } from ${moduleUrl("../testing.ts")};
import { scenario } from ${moduleUrl("./crash-scenario.test-kit.ts")};
const [url, at, when] = process.argv.slice(1);
const onCrash = () => process.kill(process.pid, "SIGKILL");
await scenario(faultingDatabase(openDatabase({ url }), { at: Number(at), when, onCrash }));
`;

/** Runs the scenario in a separate process, which is killed by SIGKILL at a statement. */
export const killedAt = async ({ at, when }: Crash, url: string): Promise<void> => {
  const args = [
    "--conditions=@framework/source",
    "--input-type=module",
    "-e",
    program,
    url,
    String(at),
    when,
  ];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const [, signal] = await once(child, "exit");
  assert.equal(signal, "SIGKILL");
};
