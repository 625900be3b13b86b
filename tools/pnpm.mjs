// Runs one workspace script after a frozen install; fetches Node and pnpm only when the ones on PATH are missing or too old.
// Plain JavaScript for any Node from 18.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const windows = process.platform === "win32"; // there npm and pnpm are scripts, which only a shell can start
const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
const { packageManager, config } = JSON.parse(manifest);
const script = process.argv.slice(2);
const env = { ...process.env, DO_NOT_TRACK: "1", npm_config_update_notifier: "false" };

const missing = missingTools();
if (missing.length === 0) {
  const installed = await run("pnpm", ["install", "--frozen-lockfile", "--reporter=append-only"]);
  process.exitCode = installed === 0 ? await run("pnpm", ["--silent", "run", ...script]) : installed;
} else if (process.env.FRAMEWORK_TOOLS_FETCHED === undefined) {
  env.FRAMEWORK_TOOLS_FETCHED = "1";
  const packages = missing.map((name) => `--package=${name}`);
  const self = fileURLToPath(import.meta.url);
  const flags = ["--yes", "--allow-scripts=pnpm", ...packages, "--"];
  process.exitCode = await run("npm", ["exec", ...flags, "node", self, ...script]);
} else {
  console.error(`npm fetched ${missing.join(" and ")}, but PATH still has an older version.`);
  process.exitCode = 1;
}

function missingTools() {
  const platform = windows ? "win" : process.platform;
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  const node = `${prefix}-${platform}-${process.arch}@${config.node}`;
  const stdio = ["ignore", "pipe", "ignore"];
  const pnpm = spawnSync("pnpm", ["--version"], { shell: windows, encoding: "utf8", stdio });
  return [
    ...(major(process.versions.node) < 24 ? [node] : []),
    ...(major(pnpm.stdout) < major(packageManager.split("@")[1]) ? [packageManager] : []),
  ];
}

function major(version) {
  return Number.parseInt(version, 10) || 0;
}

/** Runs a program and returns its exit code. Ctrl-C reaches the program through the terminal, and this process only waits. */
async function run(program, args) {
  const words = windows ? args.map((word) => `"${word.replaceAll('"', '""')}"`) : args;
  const child = spawn(program, words, { stdio: "inherit", env, shell: windows });
  const wait = () => {};
  const passOn = () => child.kill("SIGTERM");
  process.on("SIGINT", wait).on("SIGTERM", passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
    });
  } finally {
    process.off("SIGINT", wait).off("SIGTERM", passOn);
  }
}
