import { spawnSync } from "node:child_process";
import { join } from "node:path";

const { NODE_OPTIONS: _flagsOfJest, ...env } = process.env;

/** Runs a program in `cwd` and returns its output. @throws Error with the output when it fails */
export const run = (cwd: string, program: string, ...args: string[]): string => {
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", env });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")} in ${cwd}: ${error?.message ?? ""}${stdout}${stderr}`);
};

/** Runs a module of `node_modules`, such as the compiler, on plain Node. */
export const runTool = (cwd: string, root: string, tool: string, ...args: string[]): string =>
  run(cwd, process.execPath, join(root, "node_modules", tool), ...args);
