import { FrameworkError } from "@framework/core";
import { importInstalled } from "../app/import-installed.ts";
import { installedPackages } from "../explain/installed-packages.ts";
import type { Context, RunCommand } from "../frame/command.ts";
import { UsageError } from "../frame/usage-error.ts";
import { npmError, tryNpm } from "../npm/run-npm.ts";

/** `commandLine` of `@framework/create`. */
type CreateCommandLine = (
  args: readonly string[],
  options: { readonly cwd: string; readonly write: (text: string) => void },
) => Promise<number>;

/** Output of `@framework/create --json`. */
type CreateResult =
  | { readonly name: string; readonly files: readonly string[]; readonly next: readonly string[] }
  | { readonly error: { readonly code: string | null; readonly message: string } };

export const writeService: RunCommand = async (given, context) => {
  const variant = given.text("variant");
  const service = given.argument("name") ?? "my-service";
  if (service.startsWith("-"))
    throw new UsageError(`${service} cannot name a service; a name starts with a letter`);
  const args = [service, "--json"];
  if (variant !== undefined) args.push("--variant", variant);
  context.progress.show(0.3, "looking for @framework/create");
  const created = JSON.parse(await create(args, context)) as CreateResult;
  if ("error" in created) throw errorOf(created.error);
  const { name, files, next } = created;
  return {
    ok: true,
    data: created,
    lines: [`${name}/`, ...files.map((path) => `  ${path}`), "", "Next:", ...next.map((each) => `  ${each}`)],
  };
};

/** Runs `@framework/create` and returns its JSON output. Uses the copy in the project or next to this program; without one, npm fetches the latest. */
const create = async (args: readonly string[], { cwd, environment }: Context): Promise<string> => {
  const installed = installedPackages(cwd).find(({ name }) => name === "@framework/create");
  if (installed === undefined) return runLatest(args, { cwd, environment });
  let out = "";
  const { commandLine } = (await importInstalled(installed.name, installed.folder)) as unknown as {
    commandLine: CreateCommandLine;
  };
  await commandLine(args, { cwd, write: (text) => (out += text) });
  return out;
};

const runLatest = async (
  args: readonly string[],
  options: Pick<Context, "cwd" | "environment">,
): Promise<string> => {
  const npmArgs = ["exec", "--yes", "--", "@framework/create", ...args];
  const { out, failure } = await tryNpm(npmArgs, options);
  const at = out.indexOf("{"); // after npm's banner; errors are also JSON, with an exit code other than 0
  if (at === -1) throw npmError(npmArgs, failure ?? "it printed nothing");
  return out.slice(at);
};

const errorOf = ({ code, message }: { readonly code: string | null; readonly message: string }): Error => {
  if (code === null) return new Error(message); // of the operating system, such as EACCES
  return code === "CREATE_USAGE" || code === "CREATE_BAD_NAME"
    ? new UsageError(message)
    : new FrameworkError(code, message);
};
