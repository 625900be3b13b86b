// node --conditions=@framework/source tools/services/src/main.ts [name ...] [-- command ...]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { bringUp, type Outcome } from "./bring-up.ts";
import { services, testPrograms } from "./services.ts";

const { names, command } = readArguments(process.argv.slice(2));
const wanted = names.length === 0 ? services : services.filter(({ name }) => names.includes(name));
const outcomes = await bringUp(wanted, { programs: names.length === 0 ? testPrograms : {} });
for (const outcome of outcomes) console.log(lineOf(outcome));

try {
  process.exitCode = command.length > 0 ? await run(command, outcomes) : await untilStopped();
} finally {
  await Promise.allSettled(outcomes.map(({ stop }) => stop()));
}

function readArguments(words: readonly string[]): { names: readonly string[]; command: readonly string[] } {
  const end = words.indexOf("--");
  const names = end < 0 ? words : words.slice(0, end);
  const unknown = names.find((word) => !services.some(({ name }) => name === word));
  if (unknown !== undefined) {
    console.error(`no service ${unknown}; there are ${services.map(({ name }) => name).join(", ")}`);
    process.exit(1);
  }
  return { names, command: end < 0 ? [] : words.slice(end + 1) };
}

function lineOf({ service, url, detail }: Outcome): string {
  const state =
    url === null
      ? `not available, tests that need it are skipped: ${detail}`
      : `${service.variable}=${url} (${detail})`;
  return `${service.name.padEnd(15)} ${state}`;
}

/** Runs the command with the servers' addresses in its environment, and returns its exit code. */
async function run([program = "", ...args]: readonly string[], found: readonly Outcome[]): Promise<number> {
  const env = { ...process.env };
  for (const { service, url } of found) {
    if (url === null) delete env[service.variable];
    else env[service.variable] = url;
  }
  const child = spawn(program, args, { stdio: "inherit", env });
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGTERM", passOn).on("SIGINT", () => {}); // Ctrl-C reaches the child through the terminal
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}

/** Keeps the servers running until Ctrl-C or SIGTERM. */
async function untilStopped(): Promise<number> {
  console.log("Ctrl-C stops the servers that were started here.");
  const alive = setInterval(() => {}, 60_000);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  clearInterval(alive);
  return 0;
}
