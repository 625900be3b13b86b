// Runs one workspace script after a frozen install; fetches Node and pnpm only when the ones on PATH are missing or too old.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const root = new URL("../package.json", import.meta.url);
const { packageManager, config } = JSON.parse(readFileSync(root, "utf8"));
const major = (version) => Number.parseInt(version, 10) || 0;

const platform = process.platform === "win32" ? "win" : process.platform;
const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
const missing = [];
if (major(process.versions.node) < 24) missing.push(`${prefix}-${platform}-${process.arch}@${config.node}`);
const pnpm = spawnSync("pnpm --version", {
  shell: true,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
if (major(pnpm.stdout) < 12) missing.push(packageManager);

// Single quotes would reach cmd.exe literally; arguments of the tasks are flags, never free text.
const args = process.argv.slice(2).join(" ");
const task = `pnpm install --frozen-lockfile --reporter=append-only && pnpm run ${args}`;
const packages = missing.map((name) => `--package=${name}`).join(" ");
const command =
  missing.length === 0 ? task : `npm exec --yes --allow-scripts=pnpm ${packages} --call="${task}"`;
const env = { ...process.env, DO_NOT_TRACK: "1" };
process.exitCode = spawnSync(command, { shell: true, stdio: "inherit", env }).status ?? 1;
