import { FrameworkError } from "@framework/core";
import { importInstalled } from "../app/import-installed.ts";
import { installedPackages } from "../explain/installed-packages.ts";
import type { Context, RunCommand } from "../frame/command.ts";
import { UsageError } from "../frame/usage-error.ts";
import { npmError, tryNpm } from "../npm/run-npm.ts";

/** `commandLine` of `@framework/create`. */
type CreateCommandLine = (
  words: readonly string[],
  options: { readonly cwd: string; readonly write: (text: string) => void },
) => Promise<number>;

/** Output of `@framework/create --json`. */
type CreateResult =
  | { readonly name: string; readonly files: readonly string[]; readonly next: readonly string[] }
  | { readonly error: { readonly code: string; readonly message: string } };

export const writeService: RunCommand = async (given, context) => {
  const variant = given.text("variant");
  const words = [given.argument("name") ?? "my-service", "--json"];
  if (variant !== undefined) words.push("--variant", variant);
  context.progress.show(0.3, "looking for @framework/create");
  const created = JSON.parse(await create(words, context)) as CreateResult;
  if ("error" in created) throw errorOf(created.error);
  const { name, files, next } = created;
  return {
    ok: true,
    data: created,
    lines: [`${name}/`, ...files.map((path) => `  ${path}`), "", "Next:", ...next.map((each) => `  ${each}`)],
  };
};

/** Runs `@framework/create` and returns its JSON output: the installed version, which may be next to this program, else the newest. */
const create = async (words: readonly string[], { cwd, environment }: Context): Promise<string> => {
  const installed = installedPackages(cwd).find(({ name }) => name === "@framework/create");
  if (installed === undefined) return runNewest(words, { cwd, environment });
  let out = "";
  const { commandLine } = (await importInstalled(installed.name, installed.folder)) as unknown as {
    commandLine: CreateCommandLine;
  };
  await commandLine(words, { cwd, write: (text) => (out += text) });
  return out;
};

const runNewest = async (
  words: readonly string[],
  options: Pick<Context, "cwd" | "environment">,
): Promise<string> => {
  const script = ["exec", "--yes", "--", "@framework/create", ...words];
  const { out, failure } = await tryNpm(script, options);
  const at = out.indexOf("{"); // after npm's banner; errors are also JSON, with npm's exit code
  if (at === -1) throw npmError(script, failure ?? "it printed nothing");
  return out.slice(at);
};

const errorOf = ({ code, message }: { readonly code: string; readonly message: string }): FrameworkError =>
  code === "CREATE_USAGE" || code === "CREATE_BAD_NAME"
    ? new UsageError(message)
    : new FrameworkError(code, message);
